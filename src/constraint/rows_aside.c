/*
 * rows_aside.c - drives that are not at their bounds are taken out of the problem of solver quick.
 *
 * Sweeps are slow where stiff rows stand between the parts of a mechanism and its contacts: 12 hard drives and four feet take
 * thousands. A drive within its bounds is an equation, and equations can be solved before the sweeps: with the response L
 * of a group's outputs, velocities V, and a row r . V + C z = t of that group,
 *
 *   y = L r,   a = r . y + C,   b = t - r . V        V <- V + y b / a,   L <- L - y y' / a
 *
 * is how the group answers with that drive at work: as if h (kd + h kp) had been added to the joint's inertia. Row by row,
 * k = 1 ... m; then the sweeps find the other impulses f on the outputs, and backwards
 *
 *   z_k = (b_k - y_k . (f + sum over j > k of r_j z_j)) / a_k
 *
 * (Gaussian elimination; the inverse dynamics of paper 002, section III, is the case C = 0.) Whatever z_k is beyond its bounds
 * becomes a row of the sweeps, and the problem is solved again: the set of rows only grows, so this ends. Drives that were at
 * their bounds in the last step are rows from the start.
 *
 * A hard drive gets a compliance of SOFTEST times its own response, so that L keeps a diagonal where drives leave several contacts
 * only six ways to move. Where contacts forbid what hard drives of any effort ask for there is no solution, and sweeps go
 * astray: then all begins anew with drives that give way, compliance GIVING. In loops these always give way a little
 * (row_drive.c). Impulses of contacts found against drives that then turn out beyond their bounds may be 1e10 times those that
 * the bounds allow: no first guess for the next pass. Rows that others leave no response are not taken out. Cost: m times the outputs squared.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_stage.h"

#include <string.h>

/* Least compliance of a drive, as a part of its row's response. */
#define SOFTEST 1e-10
/* The same of hard drives of any effort, where sweeps went astray: impulses that grow by as much in every sweep change by 1/n
   of them in the nth; such islands are known by this part of it. */
#define GIVING 1e-2
#define ASTRAY 0.25
/* Part of a row's response below which what other rows left of it is round-off. */
#define NO_RESPONSE 1e-6

/* A row that is out. */
typedef struct RgAside {
    int row; /* of the stage */
    int32_t group;
    int count;
    int32_t output[6 * RG_ROW_SPANS]; /* r, over the group's outputs */
    double r[6 * RG_ROW_SPANS];
    double a, b;
    double *y; /* noutputs */
} RgAside;

struct RgAsides {
    int n, room;
    RgAside *list;
    const RgMoverGroup *whole;           /* groups without any row taken out */
    RgMoverGroup *left;                  /* with */
    double *V;                           /* before */
    double (*guess)[RG_PATCH_POINTS][3]; /* of the patches, before */
    double softest;                      /* as SOFTEST, or GIVING */
};

/* ------------------------------------------------------------------ who is out */

static void add_entry(RgAside *aside, int32_t output, double r)
{
    aside->output[aside->count] = output;
    aside->r[aside->count++] = r;
}

/* r over the outputs of the one group it speaks of; false: it speaks of others too. */
static bool find_group(const RgContactStage *stage, const RgBoundedRow *row, RgAside *out)
{
    const RgPatchProblem *p = &stage->problem;
    RgPatchRow made;
    rg_contact_row_make(stage, row, &made);
    out->group = -1;
    out->count = 0;
    for (int k = 0; k < made.nspans; k++) {
        const RgRowSpan *s = &made.span[k];
        int32_t group = s->mover > 0 ? p->movers[s->mover].group : p->single_group[s->single];
        if (group < 0 || (out->group >= 0 && group != out->group))
            return false;
        out->group = group;
        if (s->mover == 0)
            add_entry(out, p->single_output[s->single], s->J[0]);
        for (int i = 0; s->mover > 0 && i < 6; i++)
            add_entry(out, p->movers[s->mover].output + i, s->J[i]);
    }
    return out->group >= 0;
}

/* r . x, x by outputs. */
static double row_times(const RgAside *aside, const double *x)
{
    double sum = 0.0;
    for (int e = 0; e < aside->count; e++)
        sum += aside->r[e] * x[aside->output[e]];
    return sum;
}

/* y = L r, from the lower half of L. Returns r . L r. */
static double respond(const RgAside *aside, const RgMoverGroup *group, double *y)
{
    size_t n = (size_t)group->noutputs;
    memset(y, 0, n * sizeof *y);
    for (int e = 0; e < aside->count; e++) {
        size_t at = (size_t)aside->output[e];
        const double *row = group->L + at * n;
        for (size_t i = 0; i < at; i++)
            y[i] += aside->r[e] * row[i];
        for (size_t i = at; i < n; i++)
            y[i] += aside->r[e] * group->L[i * n + at];
    }
    return row_times(aside, y);
}

/* ------------------------------------------------------------------ taking out */

/* L of a group that may be written to. */
static double *own_response(RgContactStage *stage, int32_t number)
{
    RgAsides *s = stage->asides;
    RgMoverGroup *group = &s->left[number];
    group->driven = true;
    size_t n = (size_t)group->noutputs;
    if (group->L == s->whole[number].L) {
        double *copy = RG_TAKE_RAW(&stage->problem_memory, double, n *n);
        if (copy == NULL)
            return NULL;
        memcpy(copy, group->L, n * n * sizeof *copy);
        group->L = copy;
    }
    return (double *)group->L;
}

/* False: no memory. *out: whether it could be taken out. */
static bool take_out(RgContactStage *stage, RgAside *aside, bool *out)
{
    RgAsides *s = stage->asides;
    const RgBoundedRow *row = &stage->rows[aside->row];
    RgMoverGroup *group = &s->left[aside->group];
    size_t n = (size_t)group->noutputs;
    double *L = own_response(stage, aside->group),
           *y = aside->y = RG_TAKE_RAW(&stage->problem_memory, double, n);
    if (L == NULL || y == NULL)
        return false;
    double alone = respond(aside, &s->whole[aside->group], y), left = respond(aside, group, y);
    aside->a = left + fmax(row->compliance, fmax(row->give, s->softest) * alone);
    *out = alone > 0.0 && aside->a > (row->give > 0.0 ? 0.5 * row->give : NO_RESPONSE) * alone;
    if (!*out)
        return true;
    double *V = stage->problem.V, speed = 0.0;
    for (int e = 0; e < aside->count; e++)
        speed += aside->r[e] * V[group->place[aside->output[e]]];
    aside->b = row->target - speed;
    for (size_t i = 0; i < n; i++) {
        double share = y[i] / aside->a;
        V[group->place[i]] += share * aside->b;
        for (size_t j = 0; j <= i; j++)
            L[i * n + j] -= share * y[j];
    }
    return true;
}

/* Memory of the rows that are out; false: none. */
static bool begin(RgContactStage *stage, int room)
{
    RgArena *arena = &stage->problem_memory;
    RgPatchProblem *p = &stage->problem;
    size_t places = (size_t)RG_MOVER_PLACES * (size_t)p->nmovers + (size_t)p->nsingles;
    RgAsides *s = stage->asides = RG_TAKE(arena, RgAsides, 1);
    if (s == NULL)
        return false;
    *s = (RgAsides){.room = room,
                    .list = RG_TAKE_RAW(arena, RgAside, room),
                    .whole = p->groups,
                    .left = RG_TAKE_RAW(arena, RgMoverGroup, p->ngroups),
                    .V = RG_TAKE_RAW(arena, double, places),
                    .guess = rg_arena_take_raw(arena, (size_t)p->npatches, sizeof *s->guess),
                    .softest = SOFTEST};
    if (arena->failed)
        return false;
    memcpy(s->V, p->V, places * sizeof *s->V);
    for (int32_t k = 0; k < p->npatches; k++)
        memcpy(s->guess[k], p->patches[k].z, sizeof s->guess[k]);
    memcpy(s->left, p->groups, (size_t)p->ngroups * sizeof *s->left);
    p->groups = s->left;
    p->driven = true;
    return true;
}

/* The upper half of every L that was changed. */
static void mirror(const RgContactStage *stage)
{
    const RgAsides *s = stage->asides;
    for (int32_t g = 0; g < stage->problem.ngroups; g++) {
        double *L = (double *)s->left[g].L;
        size_t n = (size_t)s->left[g].noutputs;
        for (size_t i = 0; i < n && L != s->whole[g].L; i++)
            for (size_t j = 0; j < i; j++)
                L[j * n + i] = L[i * n + j];
    }
}

/* Every row marked aside leaves the problem, or loses the mark. False: no memory. */
static bool take_all_out(RgContactStage *stage)
{
    RgAsides *s = stage->asides;
    s->n = 0;
    for (int i = 0; i < stage->nrows; i++) {
        if (stage->rows[i].aside != RG_ASIDE_equation)
            continue;
        RgAside *aside = &s->list[s->n];
        aside->row = i;
        bool out = find_group(stage, &stage->rows[i], aside);
        if (out && !take_out(stage, aside, &out))
            return false;
        stage->rows[i].aside = out ? RG_ASIDE_equation : RG_ASIDE_none;
        s->n += out;
    }
    mirror(stage);
    return true;
}

bool rg_rows_aside_begin(RgContactStage *stage)
{
    int room = 0;
    stage->asides = NULL;
    for (int i = 0; i < stage->nrows; i++) {
        RgBoundedRow *row = &stage->rows[i];
        if (row->aside == RG_ASIDE_mass)
            continue;
        bool out = row->kind == RG_BOUNDED_drive && rg_row_within(row, RG_AT_BOUND);
        row->aside = out ? RG_ASIDE_equation : RG_ASIDE_none;
        room += out;
    }
    return room == 0 || (begin(stage, room) && take_all_out(stage));
}

/* ------------------------------------------------------------------ putting back */

/* Impulses on the outputs of groups, of all that is not aside: by places of V. */
static void gather(const RgContactStage *stage, double *f)
{
    const RgPatchProblem *p = &stage->problem;
    for (int32_t k = 0; k < p->npatches; k++)
        for (int side = 0; side < 2; side++) {
            double g[6];
            int32_t mover = p->patches[k].mover[side];
            if (p->movers[mover].group < 0)
                continue;
            rg_contact_patch_impulse(&p->patches[k], side, g);
            for (int i = 0; i < 6; i++)
                f[RG_MOVER_PLACES * mover + i] += g[i];
        }
    for (int32_t k = 0; k < p->nrows; k++)
        for (int j = 0; j < p->rows[k].nspans; j++) {
            const RgRowSpan *s = &p->rows[k].span[j];
            if (s->mover == 0)
                f[RG_MOVER_PLACES * p->nmovers + s->single] += p->rows[k].z * s->J[0];
            for (int i = 0; s->mover > 0 && i < 6; i++)
                f[RG_MOVER_PLACES * s->mover + i] += p->rows[k].z * s->J[i];
        }
}

/* Impulses of the rows that are out; f as gathered. */
static void find_impulses(RgContactStage *stage, double *f)
{
    RgAsides *s = stage->asides;
    for (int k = s->n - 1; k >= 0; k--) {
        const RgAside *aside = &s->list[k];
        const RgMoverGroup *group = &s->left[aside->group];
        double sum = aside->b;
        for (int32_t i = 0; i < group->noutputs; i++)
            sum -= aside->y[i] * f[group->place[i]];
        double z = stage->rows[aside->row].z = sum / aside->a;
        for (int e = 0; e < aside->count; e++)
            f[group->place[aside->output[e]]] += z * aside->r[e];
    }
}

/* Those beyond their bounds become rows. True: there are some. */
static bool find_beyond(RgContactStage *stage)
{
    RgAsides *s = stage->asides;
    bool any = false;
    for (int k = 0; k < s->n; k++) {
        RgBoundedRow *row = &stage->rows[s->list[k].row];
        bool beyond = !(row->z >= row->low && row->z <= row->high);
        row->z = fmax(row->low, fmin(row->z, row->high));
        row->aside = beyond ? RG_ASIDE_none : RG_ASIDE_equation;
        any = any || beyond;
    }
    return any;
}

/* Sweeps have not found impulses that go with hard drives of any effort: there may be none. Then these give way, and all begins
   anew. */
static bool give_way(RgContactStage *stage)
{
    RgAsides *s = stage->asides;
    bool any = false;
    for (int k = 0; k < s->n; k++) {
        const RgBoundedRow *row = &stage->rows[s->list[k].row];
        any = any || (row->compliance == 0.0 && row->high == INFINITY);
    }
    bool astray = stage->report.unfinished > 0 && stage->report.residual * stage->report.sweeps > ASTRAY;
    if (!astray || s->softest == GIVING || !any)
        return false;
    s->softest = GIVING;
    return true;
}

bool rg_rows_aside_end(RgContactStage *stage, bool *again)
{
    RgAsides *s = stage->asides;
    RgPatchProblem *p = &stage->problem;
    size_t places = (size_t)RG_MOVER_PLACES * (size_t)p->nmovers + (size_t)p->nsingles;
    *again = false;
    if (s == NULL)
        return true;
    double *f = RG_TAKE(&stage->problem_memory, double, places);
    if (f == NULL)
        return false;
    gather(stage, f);
    find_impulses(stage, f);
    *again = find_beyond(stage) || give_way(stage);
    if (!*again)
        return true;

    /* From the start: impulses against drives of any effort are no guess for those against bounded ones. */
    for (int32_t k = 0; k < p->npatches; k++)
        memcpy(p->patches[k].z, s->guess[k], sizeof s->guess[k]);
    memcpy(p->V, s->V, places * sizeof *p->V);
    for (int32_t g = 0; g < p->ngroups; g++)
        if (s->left[g].L != s->whole[g].L)
            memcpy((double *)s->left[g].L, s->whole[g].L,
                   (size_t)s->left[g].noutputs * (size_t)s->left[g].noutputs * sizeof(double));
    p->nrows = 0;
    return take_all_out(stage);
}
