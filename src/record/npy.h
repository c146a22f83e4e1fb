/* npy.h - arrays as numpy keeps them: written into a ZIP archive, and read from bytes. */
#ifndef RIGOR_NPY_H
#define RIGOR_NPY_H

#include "base/arena.h"
#include "record/zip_store.h"

#define RG_NPY_DIMENSIONS 3

/* ------------------------------------------------------------------ writing */

/* Opens a member and writes the header of its array; type is numpy's without byte order, shape the text inside the
   brackets, bytes the size of what follows. */
void rg_npy_begin(RgZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes);

/* A whole member of texts; NULL is the empty one. */
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

/* An array within the bytes of its file. The sizes of missing dimensions are 1. */
typedef struct RgNpy {
    RgNpyKind kind;
    size_t item; /* bytes of one value */
    bool is_fortran;
    int dimensions;
    int64_t shape[RG_NPY_DIMENSIONS];
    const unsigned char *data;
} RgNpy;

/* NULL: all is well, and every value lies within the bytes. Else what is wrong; texts that are made live in the
   arena. */
const char *rg_npy_parse(const unsigned char *bytes, size_t size, RgArena *arena, RgNpy *out);

static inline bool rg_npy_is_text(const RgNpy *array)
{
    return array->kind == RG_NPY_UNICODE || array->kind == RG_NPY_BYTES;
}

/* Value (i, j, k): of numbers, and of texts (UTF-8, into room that rg_npy_text_room says; returns text). */
double rg_npy_number(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS]);
char *rg_npy_text(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS], char *text);
size_t rg_npy_text_room(const RgNpy *array);

#endif
