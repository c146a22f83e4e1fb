/* json_out.h - the JSON that commands print: numbers that may be infinite, vectors, and writing to a file or
 * to stdout. */
#ifndef RIGOR_JSON_OUT_H
#define RIGOR_JSON_OUT_H

#include <rigor/rigor.h>

#include <jansson.h>

typedef struct RgJsonMember {
    const char *key;
    json_t *value; /* taken */
} RgJsonMember;

/* Sets members of an object, in their order, up to one without a key; returns the object. */
json_t *rg_json_set(json_t *object, const RgJsonMember *members);
#define RG_JSON_SET(object, ...) rg_json_set(object, (const RgJsonMember[]){__VA_ARGS__, {NULL, NULL}})
#define RG_JSON_OBJECT(...) RG_JSON_SET(json_object(), __VA_ARGS__)

/* null if the number is infinite or NaN. */
json_t *rg_json_number(double x);
json_t *rg_json_vec3(RgVec3 v);
json_t *rg_json_numbers(const double *x, int n);

/* null for NULL; bytes that are not UTF-8 become question marks. */
json_t *rg_json_text(const char *text);

/* One number alone, several as an array, none as null. */
json_t *rg_json_values(const double *x, int n);

/* Writes to path, or to stdout for "-"; releases the value. false: message printed. */
bool rg_json_write(json_t *value, const char *path);

#endif
