/*
 * assemble_problem.c - all rows of a step over mass-scaled velocities (row_stage.h): bilateral ones in the
 * order of assemble_rows.c, bounded ones, then contact points with their friction.
 *
 * A spring-damper row keeps its law w' + C f = t at the level of accelerations: with z = h f and w = w0 + h
 * w' it is w + C z = w0 + h t.
 *
 * Friction of a point: two tangents; torsion about the normal, |m| <= torsional n; rolling about the
 * tangents, |m| <= rolling n (with cones, both together). Points of a patch carry torsion each for itself:
 * their sum is bounded as that of the patch.
 */
#include "constraint/correction.h"
#include "constraint/row_stage.h"

#include "math/unit.h"

#include <string.h>

/* Rows of a contact point at most: normal, two tangents, torsion, two of rolling. */
#define POINT_ROWS 6

/* ------------------------------------------------------------------ memory */

static bool reserve(RgRowStage *stage, const RgRowStep *step)
{
    const RgForm *form = stage->contact->form;
    const RgModel *m = form->model;
    int nrows = stage->contact->constraints->rows.n + stage->contact->nrows;
    int points = step->contacts->npoints, n = nrows + POINT_ROWS * points;
    int way = form->kind->joints_are_rows ? 6 : m->depth;
    int wide = RG_ROW_BODIES * way + 2 < form->nu ? RG_ROW_BODIES * way + 2 : form->nu,
        narrow = 2 * way < form->nu ? 2 * way : form->nu;
    int entries = nrows * wide + POINT_ROWS * points * narrow;
    RgArena *arena = &stage->memory;
    stage->problem = (RgProblem){.crew = form->crew,
                                 .nu = form->nu,
                                 .nblocks = stage->scaling->nblocks,
                                 .block = stage->scaling->block,
                                 .start = RG_TAKE_RAW(arena, int, n + 1),
                                 .columns = RG_TAKE_RAW(arena, int, entries),
                                 .values = RG_TAKE_RAW(arena, double, entries),
                                 .target = RG_TAKE_RAW(arena, double, n),
                                 .compliance = RG_TAKE_RAW(arena, double, n),
                                 .low = RG_TAKE_RAW(arena, double, n),
                                 .high = RG_TAKE_RAW(arena, double, n),
                                 .normal = RG_TAKE_RAW(arena, int, n),
                                 .row_class = RG_TAKE_RAW(arena, uint8_t, n),
                                 .cone = RG_TAKE_RAW(arena, bool, n),
                                 .damper = RG_TAKE_RAW(arena, bool, n),
                                 .z = RG_TAKE_RAW(arena, double, n),
                                 .rate = RG_TAKE_RAW(arena, double, n),
                                 .s = RG_TAKE_RAW(arena, double, form->nu)};
    stage->parts = RG_TAKE_RAW(arena, RgTargetParts, n);
    stage->points = RG_TAKE_RAW(arena, RgPointRows, points);
    stage->problem.patches = RG_TAKE_RAW(arena, RgRowPatch, stage->contact->problem.npatches);
    stage->base_room = narrow;
    stage->base = rg_arena_take_raw(arena, 6 * (size_t)narrow, sizeof *stage->base);
    stage->s0 = RG_TAKE_RAW(arena, double, form->nu);
    stage->s_free = RG_TAKE_RAW(arena, double, form->nu);
    stage->met = RG_TAKE_RAW(arena, double, form->nu);
    stage->npoints = stage->nbilateral = 0;
    if (arena->failed)
        return false;
    stage->problem.start[0] = 0;
    return true;
}

/* Where the next row's coefficients go; then close_row with their number. */
static int *open_columns(RgRowStage *stage)
{
    return stage->problem.columns + stage->problem.start[stage->problem.n];
}

static double *open_values(RgRowStage *stage)
{
    return stage->problem.values + stage->problem.start[stage->problem.n];
}

/* A hard row without bounds; the caller changes what is otherwise. Returns its number. */
static int close_row(RgRowStage *stage, int count, RgRowClass row_class)
{
    RgProblem *p = &stage->problem;
    int i = p->n++;
    p->start[i + 1] = p->start[i] + count;
    p->target[i] = p->compliance[i] = p->z[i] = 0.0;
    p->low[i] = -INFINITY;
    p->high[i] = INFINITY;
    p->normal[i] = -1;
    p->row_class[i] = (uint8_t)row_class;
    p->cone[i] = p->damper[i] = false;
    stage->parts[i] = (RgTargetParts){0};
    return i;
}

/* Rate along a row at the start of the step. */
static double rate_at_start(const RgRowStage *stage, int i)
{
    return rg_problem_row_times(&stage->problem, i, stage->s0);
}

/* First guess from the last step. */
static void guess(RgRowStage *stage, const RgRowStep *step, int i, int slot)
{
    RgProblem *p = &stage->problem;
    const RgContactMemory *last = step->contact.last;
    double part = last->h > 0.0 ? stage->options.pgs.joint_warm_start * step->contact.h / last->h : 0.0;
    double z = part > 0.0 && slot < last->nrows ? part * last->rows[slot] : 0.0;
    p->z[i] = z < p->low[i] ? p->low[i] : z > p->high[i] ? p->high[i] : z;
}

/* ------------------------------------------------------------------ bilateral and bounded rows */

/* Acceleration along a row at du/dt = 0. */
static double row_bias(const RgRowStage *stage, const RgRow *row)
{
    const RgConstraints *c = stage->contact->constraints;
    double bias;
    c->form->kind->project(c->form, row, c->columns, c->values, &bias);
    return bias;
}

/* Of row k. Loops and couplings may start open; a fast motion opens loops by h^2 |Jdot u| / 2 a step, which has to be
   closed, too. Tree joints (maximal form) start closed: what opens them is what sweeps leave undone, which has no bound. */
static double correcting_velocity(const RgRowStage *stage, int k, double h)
{
    const RgConstraints *c = stage->contact->constraints;
    const RgRow *row = &c->rows.row[k];
    double erp = stage->options.pgs.erp, largest = stage->options.pgs.max_joint_correction;
    if (k < c->tree_rows)
        largest = INFINITY;
    else if (erp * fabs(row->error) > largest * h)
        largest += h * fabs(row_bias(stage, row));
    return rg_correcting_velocity(-row->error, erp, h, largest);
}

static void add_bilateral(RgRowStage *stage, const RgRowStep *step)
{
    const RgRows *rows = &stage->contact->constraints->rows;
    RgProblem *p = &stage->problem;
    double h = step->contact.h;

    /* Where points are told how their velocities bend within the step, those of joints bend too. */
    bool bends = stage->contact->bends;
    for (int k = 0; k < rows->n; k++) {
        const RgRow *row = &rows->row[k];
        int count = rg_scaled_row(stage->scaling, row, open_columns(stage), open_values(stage));
        int i = close_row(stage, count, RG_ROW_BILATERAL);
        bool soft = row->compliance > 0.0;
        p->target[i] = soft    ? rate_at_start(stage, i) + h * row->target
                       : bends ? -h * row_bias(stage, row)
                               : correcting_velocity(stage, k, h);
        p->compliance[i] = soft ? row->compliance : stage->options.pgs.cfm / h;
        p->damper[i] = soft;
        stage->parts[i].erp = soft || bends ? 0.0 : p->target[i];
        stage->parts[i].position = p->target[i];
        guess(stage, step, i, stage->contact->row_room + k);
    }
    stage->nbilateral = p->n;
}

static void add_bounded(RgRowStage *stage, const RgRowStep *step)
{
    RgProblem *p = &stage->problem;
    for (int k = 0; k < stage->contact->nrows; k++) {
        const RgBoundedRow *row = &stage->contact->rows[k];
        int count = rg_scaled_row(stage->scaling, &row->row, open_columns(stage), open_values(stage));
        int i = close_row(stage, count, RG_ROW_BOUNDED);
        p->target[i] = row->target;
        p->compliance[i] = row->compliance + row->give * rg_problem_diagonal(p, i);
        p->low[i] = row->low;
        p->high[i] = row->high;
        stage->parts[i].erp = row->row.error > 0.0 && row->compliance == 0.0 ? row->target : 0.0;
        stage->parts[i].position = row->target;
        guess(stage, step, i, row->slot);
    }
}

/* ------------------------------------------------------------------ contacts */

/* One pair of shapes while its rows are made. */
typedef struct Pair {
    RgRowStage *stage;
    const RgRowStep *step;
    RgSurfaceDef surface;
    int body[2];
    double sink; /* m: rg_contact_sink */
    double warm; /* part of the last step's impulses to begin with */
} Pair;

/* The six rows that those of a patch's points are sums of (problem.h), over the columns of the first that is open. A
   single point lies in the middle: without torsion and rolling it needs but three. */
typedef struct PatchRows {
    int count;
    const int *columns;
    double *base; /* 6 x room */
    size_t room;
    bool single; /* one point: nothing turns about it */
} PatchRows;

static double *base_row(const PatchRows *rows, int k)
{
    return rows->base + (size_t)k * rows->room;
}

static PatchRows make_base(const Pair *pair, const RgPatch *patch)
{
    enum { NORMAL, TURN_1, TURN_2, ALONG_1, ALONG_2, TURN_N };
    RgRowStage *stage = pair->stage;
    PatchRows out = {.columns = open_columns(stage),
                     .base = stage->base,
                     .room = (size_t)stage->base_room,
                     .single = patch->count == 1};
    out.count = rg_scaled_pair_columns(stage->scaling, pair->body[0], pair->body[1], open_columns(stage));
    const RgVec3 along[6] = {
        [NORMAL] = patch->axis[2], [ALONG_1] = patch->axis[0], [ALONG_2] = patch->axis[1]};
    const RgVec3 about[6] = {[TURN_1] = patch->axis[0], [TURN_2] = patch->axis[1], [TURN_N] = patch->axis[2]};
    for (int k = 0; k < 6; k++) {
        RgForce f[2];
        if (out.single && !stage->contact->surfaces.turns && (k == TURN_1 || k == TURN_2 || k == TURN_N))
            continue;
        for (int side = 0; side < 2; side++)
            f[side] = (RgForce){v3_add(about[k], v3_cross(patch->arm[side], along[k])), along[k]};
        rg_scaled_pair(stage->scaling, pair->body[0], f[0], pair->body[1], f[1], base_row(&out, k));
    }
    return out;
}

/* b + y c - x d; c and d may be NULL. */
typedef struct SumRow {
    const double *b, *c;
    double y;
    const double *d;
    double x;
} SumRow;

static int add_sum_row(RgRowStage *stage, const PatchRows *from, const SumRow *sum, RgRowClass row_class)
{
    int *columns = open_columns(stage);
    double *values = open_values(stage);
    if (columns != from->columns)
        memcpy(columns, from->columns, (size_t)from->count * sizeof *columns);
    memcpy(values, sum->b, (size_t)from->count * sizeof *values);
    for (int e = 0; e < from->count && sum->c != NULL; e++)
        values[e] += sum->y * sum->c[e];
    for (int e = 0; e < from->count && sum->d != NULL; e++)
        values[e] -= sum->x * sum->d[e];
    return close_row(stage, from->count, row_class);
}

/* Least normal velocity: of the velocities, and of the motion. */
static void set_targets(const Pair *pair, const RgContactPoint *point, bool rigid, int i, double *restitution)
{
    RgRowStage *stage = pair->stage;
    const RgPgsOptions *o = &stage->options.pgs;
    const RgSurfaceDef *s = &pair->surface;
    RgProblem *p = &stage->problem;
    RgTargetParts *parts = &stage->parts[i];
    double h = pair->step->contact.h, g = point->gap, near = stage->contact->rules.near;
    double share = rigid ? o->contact_erp : h * s->kp / (h * s->kp + s->kd);
    *restitution = 0.0;
    parts->soft = !rigid;
    if (g >= 0.0 && !rigid) {
        p->target[i] = parts->position = -g / h;
    } else if (g >= 0.0) {
        p->target[i] = parts->position = -(share * d_min(g, near) + d_max(g - near, 0.0)) / h;
    } else {
        double full = d_min(share * d_max(-g - s->min_depth, 0.0) / h, o->max_correcting_velocity);
        double kept = d_min(full, o->split_impulse ? d_min(s->max_vel, o->split_velocity) : s->max_vel);
        p->target[i] = kept;
        parts->erp = rigid ? kept : 0.0;
        parts->position = o->split_impulse ? full : kept;
    }

    if (stage->contact->wanted != NULL) {
        const RgVec3 *wanted = &stage->contact->wanted[point - pair->step->contacts->points];
        p->target[i] = parts->position = v3_dot(point->normal, *wanted);
        parts->erp = 0.0;
    }

    /* Bounces in the step in which the contact would act. Poisson: first all motion towards the other is
       stopped. */
    double speed = s->restitution > 0.0 ? -rate_at_start(stage, i) : 0.0;
    bool closes = rg_problem_row_times(p, i, stage->s_free) < p->target[i];
    if (!closes && rigid && stage->contact->wanted == NULL &&
        rg_contact_passes_on(&stage->contact->rules, s, g, h))
        p->target[i] = parts->position = -(g + pair->sink) / h;
    if (!closes || !(speed > s->restitution_threshold))
        return;
    if (o->poisson) {
        *restitution = s->restitution;
        p->target[i] = parts->erp = 0.0;
        parts->position = d_max(parts->position, 0.0);
        return;
    }
    double slowed = stage->contact->smooth ? -rg_problem_row_times(p, i, stage->s_free) - speed : 0.0;
    double bounce = s->restitution * speed - slowed;
    if (!(bounce > 0.0))
        return;
    if (bounce > p->target[i]) {
        parts->bounce = p->target[i] = bounce;
        parts->erp = 0.0;
    }
    parts->position = d_max(parts->position, bounce);
}

static void add_friction_row(const Pair *pair, int i, int normal, double mu, double slip)
{
    RgProblem *p = &pair->stage->problem;
    bool box = pair->stage->options.pgs.friction == RG_FRICTION_BOX;
    double h = pair->step->contact.h;
    p->normal[i] = normal;
    p->high[i] = box ? mu * h : mu;
    p->low[i] = -p->high[i];
    p->compliance[i] = slip / h;
    p->row_class[i] = box ? RG_ROW_BOX : RG_ROW_FRICTION;
}

static void add_friction(const Pair *pair, const RgPatch *patch, const PatchRows *from, RgPointRows *rows)
{
    RgRowStage *stage = pair->stage;
    const double *place = patch->place[rows->point];
    const RgSurfaceDef *s = &pair->surface;
    double mu[2] = {s->mu, s->mu2}, slip[2] = {s->slip1, s->slip2};
    if (stage->options.pgs.friction == RG_FRICTION_NONE)
        return;
    if (s->mu > 0.0 || s->mu2 > 0.0) {
        rows->tangents = 2;
        for (int k = 0; k < 2; k++) {
            double arm = k == 0 ? -place[1] : place[0];
            int i = add_sum_row(
                stage, from,
                &(SumRow){base_row(from, 3 + k), from->single ? NULL : base_row(from, 5), arm, NULL, 0.0},
                RG_ROW_FRICTION);
            add_friction_row(pair, i, rows->row, mu[k], slip[k]);
            if (stage->contact->wanted != NULL)
                stage->problem.target[i] = v3_dot(
                    patch->axis[k], stage->contact->wanted[stage->contact->point[rows->patch][rows->point]]);
            stage->problem.z[i] = pair->warm * patch->z[rows->point][1 + k];
        }
        stage->problem.cone[rows->row + 1] = stage->options.pgs.friction == RG_FRICTION_CONE;
    }
    for (int k = 2; k >= 0 && stage->contact->surfaces.turns; k--) {
        double bound = stage->contact->turn[rows->patch][k == 2 ? 0 : 1];
        if (!(bound > 0.0))
            continue;
        const double *about[3] = {base_row(from, 1), base_row(from, 2), base_row(from, 5)};
        int i = add_sum_row(stage, from, &(SumRow){about[k], NULL, 0.0, NULL, 0.0}, RG_ROW_FRICTION);
        add_friction_row(pair, i, rows->row, bound, k == 2 ? stage->contact->turn[rows->patch][2] : 0.0);
        double most = bound * stage->problem.z[rows->row];
        double last =
            pair->warm / patch->count * v3_dot(stage->contact->patch_moment[rows->patch], patch->axis[k]);
        stage->problem.z[i] = fmax(-most, fmin(last, most));
        stage->problem.cone[i] = k == 1 && stage->options.pgs.friction == RG_FRICTION_CONE;
        rows->turn_axis[rows->turns++] = (int8_t)k;
    }
}

/* Tells of a patch of several points where its rows are on one or two blocks. */
static void tell_patch(RgRowStage *stage, const RgPatch *patch, const PatchRows *from)
{
    if ((from->count != 6 && from->count != 12) || patch->count == 1)
        return;
    RgRowPatch *to = &stage->problem.patches[stage->problem.npatches++];
    to->first = stage->problem.n;
    to->points = patch->count;
    memcpy(to->place, patch->place, sizeof to->place);
    for (int k = 0; k < 6; k++)
        memcpy(to->base[k], base_row(from, k), (size_t)from->count * sizeof *to->base[k]);
}

static void add_patch(const Pair *pair, int32_t number)
{
    RgRowStage *stage = pair->stage;
    const RgPatch *patch = &stage->contact->problem.patches[number];
    double h = pair->step->contact.h;
    PatchRows from = make_base(pair, patch);
    tell_patch(stage, patch, &from);
    for (int k = 0; k < patch->count; k++) {
        RgPointRows *rows = &stage->points[stage->npoints++];
        SumRow normal = {base_row(&from, 0), base_row(&from, 1), patch->place[k][1], base_row(&from, 2),
                         patch->place[k][0]};
        if (from.single)
            normal.c = normal.d = NULL;
        int i = add_sum_row(stage, &from, &normal, RG_ROW_NORMAL);
        *rows = (RgPointRows){.patch = number, .point = k, .row = i};
        bool rigid = patch->compliance[0] == 0.0;
        stage->problem.low[i] = 0.0;
        stage->problem.compliance[i] = rigid ? stage->options.pgs.cfm / h : patch->compliance[0];
        stage->problem.z[i] = pair->warm * patch->z[k][0];
        const RgContactPoint *point = &pair->step->contacts->points[stage->contact->point[number][k]];
        set_targets(pair, point, rigid, i, &rows->restitution);
        add_friction(pair, patch, &from, rows);
    }
}

/* What presses on a body that joints hold is in balance with their impulses: it begins with no more of its own than
   they do. */
static double warm_part(const RgRowStage *stage, const int body[2])
{
    bool held = (body[0] >= 0 && stage->held[body[0]]) || (body[1] >= 0 && stage->held[body[1]]);
    const RgPgsOptions *o = &stage->options.pgs;
    return held ? d_min(o->warm_start, o->joint_warm_start) : o->warm_start;
}

/* End of a pair's points in the view. */
static int32_t points_end(const RgContactView *contacts, const RgShapeContacts *pair)
{
    const RgManifold *last = &contacts->manifolds[pair->first_manifold + pair->nmanifolds - 1];
    return last->first + last->count;
}

/* Patches come in the order of the pairs. */
static void add_contacts(RgRowStage *stage, const RgRowStep *step)
{
    const RgPatchProblem *from = &stage->contact->problem;
    int32_t patch = 0;
    for (int32_t k = 0; k < step->contacts->npairs; k++) {
        const RgShapeContacts *found = &step->contacts->pairs[k];
        int32_t end = points_end(step->contacts, found);
        if (patch == from->npatches || stage->contact->point[patch][0] >= end)
            continue;
        const int32_t *mover = from->patches[patch].mover;
        RgSurfaceDef spare;
        Pair pair = {stage,
                     step,
                     *rg_surface_pair(&stage->contact->surfaces, found->shape_a, found->shape_b, &spare),
                     {mover[0] - 1, mover[1] - 1},
                     rg_contact_sink(stage->contact, found->shape_a, found->shape_b),
                     0.0};
        pair.warm = warm_part(stage, pair.body);
        for (; patch < from->npatches && stage->contact->point[patch][0] < end; patch++)
            add_patch(&pair, patch);
    }
}

/* Patches without movers: centres of mass are all that they need. */
static bool make_patches(RgRowStage *stage, const RgRowStep *step)
{
    RgContactStage *contact = stage->contact;
    int n = contact->form->model->nbodies;
    rg_arena_reset(&contact->problem_memory);
    contact->problem = (RgPatchProblem){.nmovers = n + 1};
    contact->centre = RG_TAKE_RAW(&contact->problem_memory, RgVec3, n + 1);
    contact->problem.V = RG_TAKE(&contact->problem_memory, double, RG_MOVER_PLACES *(n + 1));
    if (contact->problem_memory.failed)
        return false;
    contact->centre[0] = v3_zero();
    for (int i = 0; i < n; i++)
        contact->centre[i + 1] = stage->scaling->body[i].centre;
    if (!rg_contact_patches(contact, step->contacts, step->contact.h))
        return false;
    if (step->scene != NULL)
        rg_warm_begin(contact, step->scene, step->contacts, &step->contact);
    return true;
}

bool rg_assemble_problem(RgRowStage *stage, const RgRowStep *step, double *u)
{
    RgContactStage *contact = stage->contact;
    double h = step->contact.h;
    rg_arena_reset(&stage->memory);
    rg_scaling_set(stage->scaling, stage->options.pgs.inertia_ratio);
    rg_assemble_rows(contact->constraints, step->implicit ? h : 0.0, false);
    rg_contact_rows_find(contact, step->contact.t, h);
    if (!make_patches(stage, step) || !reserve(stage, step))
        return false;
    double before = stage->scaling->shifted ? rg_form_kinetic(contact->form, u) : 0.0;
    rg_scaling_redo(stage->scaling, step->u0, u);
    stage->redone = stage->scaling->shifted ? rg_form_kinetic(contact->form, u) - before : 0.0;
    rg_scale_velocity(stage->scaling, step->u0, stage->s0);
    rg_scale_velocity(stage->scaling, u, stage->s_free);
    memcpy(stage->problem.s, stage->s_free, (size_t)stage->problem.nu * sizeof *stage->s_free);
    add_bilateral(stage, step);
    add_bounded(stage, step);
    add_contacts(stage, step);
    return true;
}
