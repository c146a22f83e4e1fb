/*
 * solve_forces.c - `rigor solve --indeterminacy`: rank of W, contacts over freedoms, the range of every contact force that
 * is not unique, and whether a solution exists and sliding can go on.
 */
#include "solve_forces.h"

#include "json_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_bounds(const RgContactForceRange *range, int k)
{
    printf(" %10.4g .. %10.4g", range->low[k], range->high[k]);
}

static void print_report(const RgProblemForces *f, const RgContactForceRange *ranges, int n)
{
    printf("  W: rank %d of %d rows; %d contacts: %d open, %d sticking, %d sliding\n", f->rank, f->rows, n,
           f->open, f->sticking, f->sliding);
    printf("  forces: %d freedoms; %d contacts are not unique, %d of these without bound, %d are not known\n",
           f->freedoms, f->not_unique, f->unbounded, f->unknown);
    printf("  a solution: %s; sliding that goes on: %s%s; %d contacts jam\n", f->solution, f->going_on,
           strcmp(f->going_on, "refuted") == 0 ? " (Painleve: velocities must jump)" : "", f->jamming);
    if (f->not_unique == 0)
        return;
    printf("  %7s  %-8s %24s %24s %24s\n", "contact", "", "normal", "tangent 1", "tangent 2");
    for (int i = 0; i < n; i++) {
        if (!ranges[i].known || ranges[i].unique)
            continue;
        printf("  %7d  %-8s", i, ranges[i].state);
        for (int k = 0; k < 3; k++)
            print_bounds(&ranges[i], k);
        printf("\n");
    }
}

/* Ends that are infinite become null. */
static json_t *range_json(const RgContactForceRange *range)
{
    json_t *o = json_object();
    json_object_set_new(o, "state", json_string(range->state));
    json_object_set_new(o, "known", json_boolean(range->known));
    json_object_set_new(o, "unique", json_boolean(range->unique));
    json_object_set_new(o, "low", range->known ? rg_json_numbers(range->low, 3) : json_null());
    json_object_set_new(o, "high", range->known ? rg_json_numbers(range->high, 3) : json_null());
    return o;
}

static json_t *report_json(const RgProblemForces *f, const RgContactForceRange *ranges, int n)
{
    json_t *o = json_object(), *contacts = json_array();
    json_object_set_new(o, "rows", json_integer(f->rows));
    json_object_set_new(o, "rank", json_integer(f->rank));
    json_object_set_new(o, "open", json_integer(f->open));
    json_object_set_new(o, "sticking", json_integer(f->sticking));
    json_object_set_new(o, "sliding", json_integer(f->sliding));
    json_object_set_new(o, "freedoms", json_integer(f->freedoms));
    json_object_set_new(o, "not_unique", json_integer(f->not_unique));
    json_object_set_new(o, "unbounded", json_integer(f->unbounded));
    json_object_set_new(o, "unknown", json_integer(f->unknown));
    json_object_set_new(o, "misfit", rg_json_number(f->misfit));
    json_object_set_new(o, "solution", json_string(f->solution));
    json_object_set_new(o, "sliding_goes_on", json_string(f->going_on));
    json_object_set_new(o, "jamming", json_integer(f->jamming));
    for (int i = 0; i < n; i++)
        json_array_append_new(contacts, range_json(&ranges[i]));
    json_object_set_new(o, "forces", contacts);
    return o;
}

json_t *rg_solve_forces(const RgProblemFile *problem, const double *z, bool text)
{
    int n = rg_problem_file_info(problem).contacts;
    RgContactForceRange *ranges = calloc((size_t)n + 1, sizeof *ranges);
    RgProblemForces found;
    RgStatus status = ranges ? rg_problem_file_forces(problem, z, 0, &found, ranges) : RG_ERR_MEMORY;
    json_t *json = NULL;
    if (status == RG_OK) {
        if (text)
            print_report(&found, ranges, n);
        json = report_json(&found, ranges, n);
    } else if (status == RG_ERR_UNSUPPORTED) {
        fprintf(stderr, "rigor: --indeterminacy is for contacts alone: fc3d, or steps without other rows\n");
    } else {
        fprintf(stderr, "rigor: --indeterminacy: %s\n", rg_status_text(status));
    }
    free(ranges);
    return json;
}
