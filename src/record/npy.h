/* npy.h - arrays in the NPY format of numpy: written as members of a ZIP archive, and read from bytes. */
#ifndef RIGOR_NPY_H
#define RIGOR_NPY_H

#include "base/arena.h"
#include "record/zip_store.h"

#define RG_NPY_DIMENSIONS 3

/* ------------------------------------------------------------------ writing */

/* Begins a member and writes the header of its array. type: numpy's, without byte order; shape: the text between the
   brackets; bytes: size of the values, which the caller writes next. */
void rg_npy_begin(RgZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes);

/* Writes a member of texts; NULL is an empty text. */
void rg_npy_write_texts(RgZip *zip, const char *member, const char *const *texts, int64_t count);

/* ------------------------------------------------------------------ reading */

typedef enum RgNpyKind {
    RG_NPY_FLOAT,
    RG_NPY_SIGNED,
    RG_NPY_UNSIGNED,
    RG_NPY_BOOL,
    RG_NPY_UNICODE, /* 32-bit characters */
    RG_NPY_BYTES
} RgNpyKind;

/* An array within the bytes of its file. The size of a missing dimension is 1. */
typedef struct RgNpy {
    RgNpyKind kind;
    size_t item; /* bytes of one value */
    bool is_fortran;
    int dimensions;
    int64_t shape[RG_NPY_DIMENSIONS];
    const unsigned char *data;
} RgNpy;

/* NULL: correct, and every value is within the bytes. Else what is wrong, a constant text or one in the arena. */
const char *rg_npy_parse(const unsigned char *bytes, size_t size, RgArena *arena, RgNpy *out);

static inline bool rg_npy_is_text(const RgNpy *array)
{
    return array->kind == RG_NPY_UNICODE || array->kind == RG_NPY_BYTES;
}

/* Value (i, j, k) as a number, or as UTF-8 text in the buffer text of rg_npy_text_room bytes, which is returned. */
double rg_npy_number(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS]);
char *rg_npy_text(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS], char *text);
size_t rg_npy_text_room(const RgNpy *array);

#endif
