/*
 * json_out.c - the JSON that commands print.
 *
 * Numbers are written with 17 digits, so that they read back as the same doubles. Keys keep the order in
 * which they were set. Fails, with a message, if memory is out or the file cannot be written.
 */
#include "io/json_out.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *rg_json_set(json_t *object, const RgJsonMember *members)
{
    for (; members->key; members++)
        json_object_set_new(object, members->key, members->value);
    return object;
}

json_t *rg_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *rg_json_vec3(RgVec3 v)
{
    return rg_json_numbers((double[3]){v.x, v.y, v.z}, 3);
}

json_t *rg_json_numbers(const double *x, int n)
{
    json_t *array = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(array, rg_json_number(x[i]));
    return array;
}

json_t *rg_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    if (string)
        return string;

    /* Not UTF-8: a message that quotes invalid bytes or was truncated within a character. */
    char plain[1024];
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof plain; n++)
        plain[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
    plain[n] = '\0';
    return json_string(plain);
}

json_t *rg_json_values(const double *x, int n)
{
    if (n == 0)
        return json_null();
    return n == 1 ? rg_json_number(x[0]) : rg_json_numbers(x, n);
}

bool rg_json_write(json_t *value, const char *path)
{
    bool to_stdout = strcmp(path, "-") == 0;
    errno = 0;
    FILE *out = to_stdout ? stdout : fopen(path, "w");
    bool good = out && value && json_dumpf(value, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0;
    if (out) {
        good = fputc('\n', out) != EOF && good;
        good = (to_stdout ? fflush(out) : fclose(out)) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "rigor: cannot write JSON to '%s'%s%s\n", path, errno ? ": " : "",
                errno ? strerror(errno) : "");
    json_decref(value);
    return good;
}
