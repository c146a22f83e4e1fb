/*
 * solve_forces.c - `rigor solve --indeterminacy`: rank of W, degrees of freedom of the forces, the range of every force
 * of a contact, joint, limit or motor that is not unique, whether a solution exists and whether sliding can continue.
 */
#include "solve/solve_forces.h"

#include "io/json_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_bounds(const RgContactForceRange *range, int k)
{
    if (isinf(range->low[k]) && isinf(range->high[k]))
        printf(" %24s", "any");
    else
        printf(" %10.4g .. %10.4g", range->low[k], range->high[k]);
}

/* Contacts or other rows whose force is undetermined. */
static void print_ranges(const RgContactForceRange *ranges, int n, bool contacts)
{
    bool titled = false;
    for (int i = 0; i < n; i++) {
        if (!ranges[i].known || ranges[i].unique || ranges[i].is_contact != contacts)
            continue;
        if (!titled && contacts)
            printf("  %7s  %-8s %24s %24s %24s\n", "contact", "", "normal", "tangent 1", "tangent 2");
        else if (!titled)
            printf("  %7s  %-8s %24s\n", "row", "", "impulse");
        titled = true;
        printf("  %7d  %-8s", contacts ? i : ranges[i].row, ranges[i].state);
        for (int k = 0; k < (contacts ? 3 : 1); k++)
            print_bounds(&ranges[i], k);
        printf("%s%s\n", ranges[i].name ? "  " : "", ranges[i].name ? ranges[i].name : "");
    }
}

static void print_report(const RgProblemForces *f, const RgContactForceRange *ranges, RgProblemInfo info)
{
    int n = info.contacts + info.lone_rows;
    printf("  W: rank %d of %d rows; %d contacts: %d open, %d sticking, %d sliding\n", f->rank, f->rows, info.contacts,
           f->open, f->sticking, f->sliding);
    if (info.lone_rows > 0)
        printf("  %d rows of joints, limits, motors: %d held, %d at a bound\n", info.lone_rows, f->held, f->at_bound);
    printf("  forces: %d freedoms; %d %s are not unique, %d of these without bound, %d are not known\n", f->freedoms,
           f->not_unique, info.lone_rows > 0 ? "contacts and rows" : "contacts", f->unbounded, f->unknown);
    printf("  a solution: %s; continued sliding: %s%s; %d contacts jam\n", f->solution, f->continued_sliding,
           strcmp(f->continued_sliding, "refuted") == 0 ? " (Painleve: velocities must jump)" : "", f->jamming);
    print_ranges(ranges, n, true);
    print_ranges(ranges, n, false);
}

/* Infinite ends become null. */
static json_t *range_json(const RgContactForceRange *range)
{
    json_t *o = json_object();
    int count = range->is_contact ? 3 : 1;
    RG_JSON_SET(o, {"row", json_integer(range->row)}, {"name", range->name ? rg_json_text(range->name) : json_null()},
                {"state", json_string(range->state)}, {"known", json_boolean(range->known)},
                {"unique", json_boolean(range->unique)},
                {"low", range->known ? rg_json_numbers(range->low, count) : json_null()},
                {"high", range->known ? rg_json_numbers(range->high, count) : json_null()});
    return o;
}

static json_t *report_json(const RgProblemForces *f, const RgContactForceRange *ranges, RgProblemInfo info)
{
    json_t *o = json_object(), *contacts = json_array(), *rows = json_array();
    RG_JSON_SET(o, {"rows", json_integer(f->rows)}, {"rank", json_integer(f->rank)}, {"open", json_integer(f->open)},
                {"sticking", json_integer(f->sticking)}, {"sliding", json_integer(f->sliding)},
                {"held", json_integer(f->held)}, {"at_bound", json_integer(f->at_bound)},
                {"freedoms", json_integer(f->freedoms)}, {"not_unique", json_integer(f->not_unique)},
                {"unbounded", json_integer(f->unbounded)}, {"unknown", json_integer(f->unknown)},
                {"misfit", rg_json_number(f->misfit)}, {"solution", json_string(f->solution)},
                {"sliding_goes_on", json_string(f->continued_sliding)}, {"jamming", json_integer(f->jamming)});
    for (int i = 0; i < info.contacts + info.lone_rows; i++)
        json_array_append_new(ranges[i].is_contact ? contacts : rows, range_json(&ranges[i]));
    json_object_set_new(o, "forces", contacts);
    json_object_set_new(o, "lone_rows", rows);
    return o;
}

json_t *rg_solve_forces(const RgProblemFile *problem, const double *z, bool text)
{
    RgProblemInfo info = rg_problem_file_info(problem);
    RgContactForceRange *ranges = calloc((size_t)info.contacts + (size_t)info.lone_rows + 1, sizeof *ranges);
    RgProblemForces found;
    RgStatus status = ranges ? rg_problem_file_forces(problem, z, 0, &found, ranges) : RG_ERR_MEMORY;
    json_t *json = NULL;
    if (status == RG_OK) {
        if (text)
            print_report(&found, ranges, info);
        json = report_json(&found, ranges, info);
    } else if (status == RG_ERR_UNSUPPORTED) {
        fprintf(stderr,
                "rigor: --indeterminacy needs fc3d or a step, and contacts without torsion, rolling, pyramids\n");
    } else {
        fprintf(stderr, "rigor: --indeterminacy: %s\n", rg_status_text(status));
    }
    free(ranges);
    return json;
}
