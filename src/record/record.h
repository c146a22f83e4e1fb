/*
 * record.h - what a recording holds, row by row, and what a file format does with it.
 *
 * A row is one array of doubles: t, q, v, positions, quaternions, energy, contact, control, one after the other. The
 * layout says which numbers of a row belong to which array and what every column is called.
 */
#ifndef RIGOR_RECORD_INTERNAL_H
#define RIGOR_RECORD_INTERNAL_H

#include "base/arena.h"

#include <rigor/message.h>
#include <rigor/record.h>

/* Number of the layout, kept in the file. */
#define RG_RECORD_VERSION 2

/* Order of the arrays in a row. */
typedef enum RgRecordPart {
    RG_RECORD_T,
    RG_RECORD_Q,
    RG_RECORD_V,
    RG_RECORD_POSITION,
    RG_RECORD_QUATERNION,
    RG_RECORD_ENERGY,
    RG_RECORD_CONTACT,
    RG_RECORD_CONTROL, /* empty where nothing is controlled */
    RG_RECORD_PARTS
} RgRecordPart;

/* One array: n, n x items, or n x items x depth. */
typedef struct RgRecordArray {
    const char *name;
    int dimensions;          /* 1, 2 or 3 */
    int items, depth;        /* 1 where the dimension is missing */
    int start;               /* in the row */
    const char *prefix;      /* of column names, "q:" for example */
    const char *const *item; /* names of the items */
    const char *const *axis; /* what follows the item's name, one a place of the depth */
} RgRecordArray;

typedef struct RgRecordLayout {
    RgRecordArray arrays[RG_RECORD_PARTS];
    int width; /* doubles a row */
    int nq, nv, links;
    const char *const *q_names, *const *v_names, *const *link_names;
    int controlled; /* joints of the control */
    const char *const *control_names;
} RgRecordLayout;

/* What the numbers of a row are called. */
typedef struct RgRecordNames {
    const char *const *q, *const *v, *const *links, *const *control;
    int nq, nv, nlinks, ncontrol;
} RgRecordNames;

/* The arrays of a row with these names, which are not copied. */
void rg_record_layout_of(const RgRecordNames *names, RgRecordLayout *out);

/* Names and places for a model and the control of its joints (NULL: none), in the arena. False: memory is out. */
bool rg_record_layout(const RgModel *model, const struct RgControl *control, RgArena *arena, RgRecordLayout *out);

/* Names of all joints as they are found again, loop joints too. NULL: memory is out. */
const char *const *rg_record_joint_names(const RgModel *model, RgArena *arena);

/* Doubles of an array in a row. */
int rg_record_array_width(const RgRecordArray *array);

/* What is recorded: rows of a layout, or the messages of a model. */
typedef struct RgRecordSource {
    const RgRecordLayout *layout;
    RgMessagesDef messages;
} RgRecordSource;

/* A file format, of rows (add) or of messages (add_world, add_step). open takes its memory from the arena. finish
   closes everything; keep false: the recording failed. */
typedef struct RgRecordFormat {
    const char *name; /* also the ending of paths */
    void *(*open)(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error);
    RgStatus (*add)(void *writer, const double *row, RgError *error);
    RgStatus (*add_world)(void *writer, RgWorld *world, RgError *error);
    RgStatus (*add_step)(void *writer, RgWorld *world, RgError *error); /* after every step; NULL: not needed */
    RgStatus (*finish)(void *writer, bool keep, RgError *error);
} RgRecordFormat;

/* The format of that name, or by the ending of the path where format is NULL. NULL: error says which there are. */
const RgRecordFormat *rg_record_format_of(const char *path, const char *format, RgError *error);

#endif
