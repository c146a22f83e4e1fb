/*
 * rows.h - a small layout by hand, and rows of numbers that any language computes alike: column j of row i is
 * (37 i + j) / 10.
 */
#ifndef TEST_RECORD_ROWS_H
#define TEST_RECORD_ROWS_H

#include "record/record_table.h"

#define ROWS_WIDTH 25 /* t, 2 q, 3 v, 2 x 3, 2 x 4, 2, 3 */

static inline RgRecordLayout rows_layout(void)
{
    static const char *const nothing[] = {""};
    static const char *const q_names[] = {"shoulder", "a, \"b\""};
    static const char *const v_names[] = {"wrist[0]", "wrist[1]", "wrist[2]"};
    static const char *const link_names[] = {"base", "f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff"};
    static const char *const place[] = {":x", ":y", ":z"};
    static const char *const turn[] = {":qw", ":qx", ":qy", ":qz"};
    static const char *const energies[] = {"kinetic", "potential"};
    static const char *const contact[] = {"points", "work", "residual"};
    return (RgRecordLayout){.arrays = {{"t", 1, 1, 1, 0, "t", nothing, nothing},
                                       {"q", 2, 2, 1, 1, "q:", q_names, nothing},
                                       {"v", 2, 3, 1, 3, "v:", v_names, nothing},
                                       {"link_position", 3, 2, 3, 6, "link:", link_names, place},
                                       {"link_quaternion", 3, 2, 4, 12, "link:", link_names, turn},
                                       {"energy", 2, 2, 1, 20, "energy:", energies, nothing},
                                       {"contact", 2, 3, 1, 22, "contact:", contact, nothing}},
                            .width = ROWS_WIDTH,
                            .nq = 2,
                            .nv = 3,
                            .links = 2,
                            .q_names = q_names,
                            .v_names = v_names,
                            .link_names = link_names};
}

static inline void rows_fill(int i, double row[ROWS_WIDTH])
{
    for (int j = 0; j < ROWS_WIDTH; j++)
        row[j] = (37 * i + j) / 10.0;
}

/* Writes count rows with a format; the status of the end. */
static inline RgStatus rows_write(const RgRecordFormat *format, const char *path, int count, RgError *error)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRecordLayout layout = rows_layout();
    void *writer = format->open(&(RgRecordSource){.layout = &layout}, path, &arena, error);
    RgStatus status = writer != NULL ? RG_OK : RG_ERR_FILE;
    for (int i = 0; i < count && status == RG_OK; i++) {
        double row[ROWS_WIDTH];
        rows_fill(i, row);
        status = format->add(writer, row, error);
    }
    if (writer != NULL) {
        RgStatus end = format->finish(writer, status == RG_OK, status == RG_OK ? error : NULL);
        status = status != RG_OK ? status : end;
    }
    rg_arena_free(&arena);
    return status;
}

#endif
