/* sweep_reader.h - shared by the readers of a sweep file: sweep_file.c, sweep_file_axes.c, sweep_file_outputs.c. */
#ifndef RIGOR_SWEEP_READER_H
#define RIGOR_SWEEP_READER_H

#include "sweep/sweep.h"

enum { RG_SWEEP_COUNT_MAX = 1000000 };

/* The sweep, and the item that is being read. */
typedef struct RgSweepReader {
    RgSweepPlan *sweep;
    RgSweepAxis axis;
    yaml_node_t *values, *names, *cases; /* of the axis; NULL: not given */
    double from, to;
    int count;
    bool is_log;
    RgSweepOutput output;
    const char *output_of;
    RgSweepStop stop;
    const char *stop_if;
    RgSweepSearch search;
} RgSweepReader;

/* sweep_file.c: place of a node; a text in the pool; a path, checked (NULL: error is filled); a whole number. */
RgSweepPlace rg_sweep_place(const yaml_node_t *node);
const char *rg_sweep_copy(RgSweepReader *reader, const char *text);
const char *rg_sweep_read_key(RgYaml *yaml, yaml_node_t *node, RgSweepReader *reader);
bool rg_sweep_read_whole(RgYaml *yaml, yaml_node_t *node, const char *what, double least, double most, double *out);

/* sweep_file_axes.c: an item of `axes`; one more key for the axis that is being read; a node as a value. */
RgYamlRead rg_sweep_read_axis, rg_sweep_add_key;
RgSweepValue rg_sweep_value_of(RgYaml *yaml, yaml_node_t *node, RgSweepReader *reader);

/* sweep_file_outputs.c: items of `outputs` and of `stop`; `search`. */
RgYamlRead rg_sweep_read_output, rg_sweep_read_stop, rg_sweep_read_search;

#endif
