/*
 * contact_groups.c - bodies that joints, loops or couplings hold together, as groups of movers.
 *
 * The outputs of a group are the velocities of those of its bodies that are touched, six each (centre of mass,
 * then turning), and the joint velocities that rows speak of. What an impulse g on them does is
 *
 *   dV = L g        L = J (M^-1 - M^-1 G' (G M^-1 G' + C)^-1 G M^-1) J'
 *
 * J the Jacobian of the outputs, G the bilateral rows of the form, M the mass matrix with what implicit
 * springs and dampers add. So whatever the contacts do, joints and loops stay together without being rows of
 * the solver.
 *
 * Without G, and with a factor M = F' D F along the branches of a tree, L = Y' D^-1 Y with Y = F'^-1 J': each
 * output costs its branch squared, each entry of L the branch that two outputs have in common. Else L costs a
 * solve an output.
 */
#include "constraint/contact_stage.h"

#include <string.h>

/* Part of a body's own response below which that of its mechanism is round-off. */
#define LOCKED 1e-13

/* ------------------------------------------------------------------ outputs */

void rg_contact_solve_rows(const RgContactStage *stage, double *g)
{
    double *rows = stage->row_impulses;
    const RgForm *form = stage->form;
    RgConstraints *c = stage->constraints;
    form->kind->solve(form, g);
    if (c->rows.n == 0)
        return;
    for (int i = 0; i < c->problem.n; i++)
        rows[i] = -rg_row_times(&c->problem, i, g);
    rg_direct_again(c->direct, &c->problem, rows);
    rg_add_response(&c->problem, rows, g);
}

void rg_contact_push(const RgContactStage *stage, int body, const double g[6], double *out)
{
    RgVec3 f = {g[0], g[1], g[2]}, m = {g[3], g[4], g[5]};
    RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    stage->form->kind->push(stage->form, body, (RgForce){v3_add(m, v3_cross(from_origin, f)), f}, out);
}

void rg_contact_look(const RgContactStage *stage, int body, const double *u, double V[6])
{
    RgMotion twist;
    stage->form->kind->twist(stage->form, body, u, &twist);
    RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    RgVec3 v = v3_add(twist.v, v3_cross(twist.w, from_origin));
    V[0] = v.x;
    V[1] = v.y;
    V[2] = v.z;
    V[3] = twist.w.x;
    V[4] = twist.w.y;
    V[5] = twist.w.z;
}

/* What of a group takes part: bodies that are touched, joint velocities that rows speak of. */
typedef struct Members {
    const int32_t *bodies, *singles;
    int32_t nbodies, nsingles;
} Members;

/* Output j of a group: its J' (nu, added to zero), or what it is at u. */
static void push_output(const RgContactStage *stage, const Members *m, int32_t j, double *g)
{
    if (j < 6 * m->nbodies) {
        double unit[6] = {0.0};
        unit[j % 6] = 1.0;
        rg_contact_push(stage, m->bodies[j / 6], unit, g);
        return;
    }
    RgRow row = {.ndofs = 1,
                 .dof = {stage->single_dof[m->singles[j - 6 * m->nbodies]]},
                 .coefficient = {1.0},
                 .rotor = -1};
    RgConstraints *c = stage->constraints;
    double bias;
    int count = stage->form->kind->project(stage->form, &row, c->columns, c->values, &bias);
    for (int k = 0; k < count; k++)
        g[c->columns[k]] += c->values[k];
}

double rg_contact_look_single(const RgContactStage *stage, int32_t single, const double *u)
{
    RgRow row = {.ndofs = 1, .dof = {stage->single_dof[single]}, .coefficient = {1.0}, .rotor = -1};
    RgConstraints *c = stage->constraints;
    double bias, sum = 0.0;
    int count = stage->form->kind->project(stage->form, &row, c->columns, c->values, &bias);
    for (int k = 0; k < count; k++)
        sum += c->values[k] * u[c->columns[k]];
    return sum;
}

/* Column j of L: all outputs after a unit impulse on output j. */
static void make_column(const RgContactStage *stage, const Members *m, int32_t j, double *L, int32_t noutputs)
{
    double *u = stage->impulses;
    memset(u, 0, (size_t)stage->form->nu * sizeof *u);
    push_output(stage, m, j, u);
    rg_contact_solve_rows(stage, u);
    for (int32_t i = 0; i < m->nbodies; i++) {
        double V[6];
        rg_contact_look(stage, m->bodies[i], u, V);
        for (int k = 0; k < 6; k++)
            L[(size_t)(6 * i + k) * (size_t)noutputs + (size_t)j] = V[k];
    }
    for (int32_t i = 0; i < m->nsingles; i++)
        L[(size_t)(6 * m->nbodies + i) * (size_t)noutputs + (size_t)j] =
            rg_contact_look_single(stage, m->singles[i], u);
}

/* What joints do not let a body do is round-off against what it would do alone: it is nothing. */
static void clear_locked(const RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    for (int32_t j = 0; j < 6 * m->nbodies; j++) {
        const RgInertia *in = &stage->form->model->bodies[m->bodies[j / 6]].inertia;
        double alone = j % 6 < 3 ? in->mass : in->I.xx + in->I.yy + in->I.zz;
        if (!(L[(size_t)j * (size_t)noutputs + (size_t)j] * alone <= LOCKED))
            continue;
        for (int32_t i = 0; i < noutputs; i++)
            L[(size_t)j * (size_t)noutputs + (size_t)i] = L[(size_t)i * (size_t)noutputs + (size_t)j] = 0.0;
    }
}

/* ------------------------------------------------------------------ L by columns */

/* L column after column. Round-off apart it is symmetric; the solver takes it so. */
static void make_by_columns(RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    for (int32_t j = 0; j < noutputs; j++)
        make_column(stage, m, j, L, noutputs);
    for (int32_t i = 0; i < noutputs; i++)
        for (int32_t j = 0; j < i; j++) {
            double *low = &L[(size_t)i * (size_t)noutputs + (size_t)j];
            double *high = &L[(size_t)j * (size_t)noutputs + (size_t)i];
            *low = *high = 0.5 * (*low + *high);
        }
}

/* ------------------------------------------------------------------ L by halves */

/* Halves of the outputs of one member: columns numbers a velocity, of the branch that ends with last. */
typedef struct Half {
    int last;
    int columns; /* six, or one */
    double *y, *w;
} Half;

/* sum over the branch of a of y_a[k] w_b[k]', into L from output i, j on. */
static void multiply(const int *parent, int first, const Half *a, const Half *b, double *to, size_t stride)
{
    double block[6][6] = {{0.0}};
    for (int k = a->last; k >= 0; k = parent[k]) {
        const double *y = a->y + (k - first) * a->columns, *w = b->w + (k - first) * b->columns;
        for (int r = 0; r < a->columns; r++)
            for (int c = 0; c < b->columns; c++)
                block[r][c] += y[r] * w[c];
    }
    for (int r = 0; r < a->columns; r++)
        for (int c = 0; c < b->columns; c++)
            to[(size_t)r * stride + (size_t)c] = block[r][c];
}

/* The same for two of six columns. */
static void multiply_six(const int *parent, int first, const Half *a, const Half *b, double *to,
                         size_t stride)
{
    double block[6][6] = {{0.0}};
    for (int k = a->last; k >= 0; k = parent[k]) {
        const double *y = a->y + (k - first) * 6, *w = b->w + (k - first) * 6;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                block[r][c] += y[r] * w[c];
    }
    for (int r = 0; r < 6; r++)
        memcpy(to + (size_t)r * stride, block[r], sizeof block[r]);
}

/* The halves of member i: a body, or a joint velocity behind them. */
static Half make_half(const RgContactStage *stage, const Members *m, int32_t i, int first, double *room)
{
    const RgForm *form = stage->form;
    size_t width = form->factor.stride;
    bool is_body = i < m->nbodies;
    Half half = {.columns = is_body ? 6 : 1, .y = room};
    half.w = room + (size_t)half.columns * width;
    if (is_body) {
        const RgBody *body = &form->model->bodies[m->bodies[i]];
        half.last = body->v0 + body->nv - 1;
        form->kind->half_body(form, m->bodies[i], stage->centre[m->bodies[i] + 1], first,
                              (double(*)[6])half.y, (double(*)[6])half.w);
    } else {
        half.last = stage->single_dof[m->singles[i - m->nbodies]];
        form->kind->half_dof(form, half.last, first, half.y, half.w);
    }
    return half;
}

/* First velocity of the tree that a group is. */
static int first_velocity(const RgContactStage *stage, const Members *m)
{
    const RgModel *model = stage->form->model;
    int k = m->nbodies > 0 ? model->bodies[m->bodies[0]].v0 : stage->single_dof[m->singles[0]];
    while (model->dof_parent[k] >= 0)
        k = model->dof_parent[k];
    return k;
}

/* L where nothing but a tree holds the group together. False: no memory. */
static bool make_by_halves(RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    const int *parent = stage->form->model->dof_parent;
    RgArena *arena = &stage->problem_memory;
    size_t n = (size_t)noutputs, width = stage->form->factor.stride;
    int32_t nmembers = m->nbodies + m->nsingles;
    double *room = RG_TAKE(arena, double, 2 * n * width);
    Half *halves = RG_TAKE_RAW(arena, Half, nmembers);
    if (arena->failed)
        return false;
    int first = first_velocity(stage, m);
    for (int32_t i = 0, row = 0; i < nmembers; i++) {
        halves[i] = make_half(stage, m, i, first, room);
        room += 2 * (size_t)halves[i].columns * width;
        for (int32_t j = 0, column = 0; j <= i; j++) {
            bool six = halves[i].columns == 6 && halves[j].columns == 6;
            (six ? multiply_six : multiply)(parent, first, &halves[i], &halves[j],
                                            L + (size_t)row * n + (size_t)column, n);
            column += halves[j].columns;
        }
        row += halves[i].columns;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            L[j * n + i] = L[i * n + j];
    return true;
}

/* L of one group. */
static bool make_group(RgContactStage *stage, const Members *m, RgMoverGroup *out)
{
    RgArena *arena = &stage->problem_memory;
    int32_t noutputs = 6 * m->nbodies + m->nsingles;
    int32_t *place = RG_TAKE_RAW(arena, int32_t, noutputs);
    double *L = RG_TAKE_RAW(arena, double, (size_t)noutputs *(size_t)noutputs);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < 6 * m->nbodies; k++)
        place[k] = RG_MOVER_PLACES * (m->bodies[k / 6] + 1) + k % 6;
    for (int32_t k = 0; k < m->nsingles; k++)
        place[6 * m->nbodies + k] = RG_MOVER_PLACES * stage->problem.nmovers + m->singles[k];
    if (stage->form->kind->half_body == NULL || stage->constraints->rows.n > 0)
        make_by_columns(stage, m, L, noutputs);
    else if (!make_by_halves(stage, m, L, noutputs))
        return false;
    clear_locked(stage, m, L, noutputs);
    *out = (RgMoverGroup){.noutputs = noutputs, .place = place, .L = L};
    return true;
}

/* ------------------------------------------------------------------ who is in which */

/* Group of a body in this step: a free one that a row knows by its joint velocity is a group of its own. */
static int group_of(const RgContactStage *stage, const bool *by_joint, int body)
{
    if (!stage->bodies[body].free)
        return stage->bodies[body].group;
    return by_joint[body] ? stage->ngroups + body : -1;
}

/* Members of all groups, as chains in ascending order: -1 ends one. */
typedef struct Chains {
    int32_t *first_body, *first_single; /* groups */
    int32_t *next_body, *next_single;   /* bodies, singles */
} Chains;

static bool chain_members(RgContactStage *stage, const bool *touched, const bool *by_joint, Chains *c)
{
    const RgModel *m = stage->form->model;
    RgArena *arena = &stage->problem_memory;
    int total = stage->ngroups + m->nbodies;
    *c = (Chains){RG_TAKE_RAW(arena, int32_t, total), RG_TAKE_RAW(arena, int32_t, total),
                  RG_TAKE_RAW(arena, int32_t, m->nbodies), RG_TAKE_RAW(arena, int32_t, m->nv)};
    if (arena->failed)
        return false;
    for (int g = 0; g < total; g++)
        c->first_body[g] = c->first_single[g] = -1;
    for (int i = m->nbodies - 1; i >= 0; i--) {
        int group = touched[i] ? group_of(stage, by_joint, i) : -1;
        if (group < 0)
            continue;
        c->next_body[i] = c->first_body[group];
        c->first_body[group] = i;
    }
    for (int32_t k = stage->problem.nsingles - 1; k >= 0; k--) {
        int group = group_of(stage, by_joint, m->dof_body[stage->single_dof[k]]);
        c->next_single[k] = c->first_single[group];
        c->first_single[group] = k;
    }
    return true;
}

/* One group's members, in list. */
static Members find_members(const RgContactStage *stage, const Chains *c, int group, int32_t *list)
{
    int32_t nbodies = stage->form->model->nbodies;
    Members found = {.bodies = list, .singles = list + nbodies};
    for (int32_t i = c->first_body[group]; i >= 0; i = c->next_body[i])
        list[found.nbodies++] = i;
    for (int32_t k = c->first_single[group]; k >= 0; k = c->next_single[k])
        list[nbodies + found.nsingles++] = k;
    return found;
}

/* Whether drives are in the masses of a group. */
static bool is_driven(const RgContactStage *stage, int group)
{
    const RgModel *m = stage->form->model;
    for (int i = 0; i < stage->nrows && stage->in_mass.count > 0; i++)
        if (stage->rows[i].aside == RG_ASIDE_mass &&
            stage->bodies[m->dof_body[stage->rows[i].row.dof[0]]].group == group)
            return true;
    return false;
}

bool rg_contact_groups(RgContactStage *stage, const bool *touched, const bool *by_joint, RgMover *movers)
{
    RgArena *arena = &stage->problem_memory;
    const RgModel *m = stage->form->model;
    RgPatchProblem *p = &stage->problem;
    int total = stage->ngroups + m->nbodies;
    RgMoverGroup *groups = RG_TAKE_RAW(arena, RgMoverGroup, total);
    Chains chains;
    int32_t *list = RG_TAKE_RAW(arena, int32_t, m->nbodies + m->nv);
    int32_t *single_group = RG_TAKE_RAW(arena, int32_t, m->nv),
            *single_output = RG_TAKE_RAW(arena, int32_t, m->nv);
    if (!chain_members(stage, touched, by_joint, &chains) || arena->failed)
        return false;
    p->groups = groups;
    p->single_group = single_group;
    p->single_output = single_output;
    for (int g = 0; g < total; g++) {
        if (chains.first_body[g] < 0 && chains.first_single[g] < 0)
            continue;
        Members members = find_members(stage, &chains, g, list);
        if (!make_group(stage, &members, &groups[p->ngroups]))
            return false;
        groups[p->ngroups].driven = is_driven(stage, g);
        p->driven = p->driven || groups[p->ngroups].driven;
        for (int32_t i = 0; i < members.nbodies; i++) {
            movers[members.bodies[i] + 1].group = p->ngroups;
            movers[members.bodies[i] + 1].output = 6 * i;
        }
        for (int32_t i = 0; i < members.nsingles; i++) {
            single_group[members.singles[i]] = p->ngroups;
            single_output[members.singles[i]] = 6 * members.nbodies + i;
        }
        p->ngroups++;
    }
    return true;
}
