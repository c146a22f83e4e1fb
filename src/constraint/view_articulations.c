/*
 * view_articulations.c - bodies that joints, loops or couplings connect, as articulations of a patch problem.
 *
 * The outputs of an articulation are the velocities of those of its bodies that are touched, six each (centre of mass,
 * then angular velocity), and the joint velocities that rows act on. An impulse g on the outputs changes them by
 *
 *   dV = L g        L = J (M^-1 - M^-1 G' (G M^-1 G' + C)^-1 G M^-1) J'
 *
 * J the Jacobian of the outputs, G the bilateral rows of the form, M the mass matrix with the addition of implicit
 * springs and dampers. So joints and loops are satisfied for any contact impulses without being rows of the solver.
 *
 * Where rows of G are dependent or nearly so (loops at dead points), or strong damping fields, the factor loses digits; each
 * response is then refined once by the rates that it leaves along G.
 *
 * Without G, and with a factor M = F' D F along the branches of a tree, L = B' B with B = D^-1/2 F'^-1 J': each output
 * costs its branch length squared, and L is not formed. Otherwise L costs one solve per output.
 */
#include "constraint/fields.h"
#include "constraint/tree_solve.h"
#include "constraint/view_patches.h"

#include "base/parallel_for.h"

#include <math.h>
#include <string.h>

/* h d of a damping field, relative to the mass, above which the factor loses more than two digits. */
#define STRONG_FIELD 1e2

/* ------------------------------------------------------------------ outputs */

void rg_view_respond(const RgPatchView *view, double *g)
{
    double *rows = view->from->joint_impulses;
    const RgForm *form = view->setup->form;
    RgConstraints *c = view->setup->constraints;
    if (c->tree.used) {
        rg_tree_solve_respond(c, NULL, g, rows);
        return;
    }
    form->kind->solve(form, g);
    if (c->rows.n == 0)
        return;
    for (int i = 0; i < c->problem.n; i++)
        rows[i] = -rg_row_times(&c->problem, i, g);
    rg_direct_solve_again(c->direct, &c->problem, rows);
    rg_add_response(&c->problem, rows, g);
    if (view->exact)
        return;
    for (int i = 0; i < c->problem.n; i++)
        c->scratch.velocity[i] = -rg_row_times(&c->problem, i, g) - c->problem.compliance[i] * rows[i];
    rg_direct_solve_again(c->direct, &c->problem, c->scratch.velocity);
    rg_add_response(&c->problem, c->scratch.velocity, g);
    for (int i = 0; i < c->problem.n; i++)
        rows[i] += c->scratch.velocity[i];
}

void rg_view_project_velocity(const RgPatchView *view, const double *u, double *held)
{
    RgConstraints *c = view->setup->constraints;
    int nu = view->setup->form->nu;
    if (c->tree.used) {
        const double *b = view->in_mass.b;
        if (!view->in_mass.begun)
            rg_tree_solve_correction(c, u, held);
        for (int k = 0; k < nu; k++)
            held[k] = (view->in_mass.begun ? b[k] : held[k]) + u[k];
        return;
    }
    memcpy(held, u, (size_t)nu * sizeof *held);
    double *rows = view->from->joint_impulses;
    for (int i = 0; i < c->problem.n; i++) {
        bool kept = c->rows.row[i].compliance > 0.0 || c->rows.row[i].keeps;
        rows[i] = kept ? 0.0 : -rg_row_times(&c->problem, i, u);
    }
    rg_direct_solve_again(c->direct, &c->problem, rows);
    rg_add_response(&c->problem, rows, held);
}

void rg_view_body_velocity(const RgPatchView *view, int body, const double *u, double V[6])
{
    RgMotion twist;
    rg_form_twist(view->setup->form, body, u, &twist);
    RgVec3 from_origin = v3_sub(view->from->centre[body + 1], view->setup->form->kin->X_WB[body].p);
    RgVec3 v = v3_add(twist.v, v3_cross(twist.w, from_origin));
    V[0] = v.x;
    V[1] = v.y;
    V[2] = v.z;
    V[3] = twist.w.x;
    V[4] = twist.w.y;
    V[5] = twist.w.z;
}

/* Members of an articulation that take part: touched bodies, and joint velocities that rows act on. */
typedef struct Members {
    const int32_t *bodies, *singles;
    int32_t nbodies, nsingles;
} Members;

/* Adds J' of output j of an articulation to g (nu). */
static void push_output(const RgPatchView *view, const Members *m, int32_t j, double *g)
{
    if (j < 6 * m->nbodies) {
        double unit[6] = {0.0};
        unit[j % 6] = 1.0;
        rg_contact_push(view->setup, view->from->centre, m->bodies[j / 6], unit, g);
        return;
    }
    RgRow row = {
        .ndofs = 1, .dof = {view->single_dof[m->singles[j - 6 * m->nbodies]]}, .coefficient = {1.0}, .rotor = -1};
    RgConstraints *c = view->setup->constraints;
    double bias;
    int count = rg_row_project(view->setup->form, &row, c->scratch.columns, c->scratch.values, &bias);
    for (int k = 0; k < count; k++)
        g[c->scratch.columns[k]] += c->scratch.values[k];
}

double rg_view_joint_velocity(const RgPatchView *view, int32_t single, const double *u)
{
    RgRow row = {.ndofs = 1, .dof = {view->single_dof[single]}, .coefficient = {1.0}, .rotor = -1};
    RgConstraints *c = view->setup->constraints;
    double bias, sum = 0.0;
    int count = rg_row_project(view->setup->form, &row, c->scratch.columns, c->scratch.values, &bias);
    for (int k = 0; k < count; k++)
        sum += c->scratch.values[k] * u[c->scratch.columns[k]];
    return sum;
}

/* Computes column j of L: all outputs after a unit impulse on output j. */
static void make_column(const RgPatchView *view, const Members *m, int32_t j, double *L, int32_t noutputs)
{
    double *u = view->impulses;
    memset(u, 0, (size_t)view->setup->form->nu * sizeof *u);
    push_output(view, m, j, u);
    rg_view_respond(view, u);
    for (int32_t i = 0; i < m->nbodies; i++) {
        double V[6];
        rg_view_body_velocity(view, m->bodies[i], u, V);
        for (int k = 0; k < 6; k++)
            L[(size_t)(6 * i + k) * (size_t)noutputs + (size_t)j] = V[k];
    }
    for (int32_t i = 0; i < m->nsingles; i++)
        L[(size_t)(6 * m->nbodies + i) * (size_t)noutputs + (size_t)j] = rg_view_joint_velocity(view, m->singles[i], u);
}

/* Mass, or sum of the moments of inertia, of the body of output j, without its joints. */
static double mass_alone(const RgPatchView *view, const Members *m, size_t j)
{
    const RgInertia *in = &view->setup->form->model->bodies[m->bodies[j / 6]].inertia;
    return j % 6 < 3 ? in->mass : in->I.xx + in->I.yy + in->I.zz;
}

/* Sets rows and columns of L to zero where the response is round-off of that of the body alone: joints lock the
   output. */
static void clear_locked(const RgPatchView *view, const Members *m, double *L, int32_t noutputs)
{
    size_t n = (size_t)noutputs;
    for (size_t j = 0; j < 6 * (size_t)m->nbodies; j++) {
        if (!(L[j * n + j] * mass_alone(view, m, j) <= RG_LOCKED_RESPONSE))
            continue;
        for (size_t i = 0; i < n; i++)
            L[j * n + i] = L[i * n + j] = 0.0;
    }
}

/* ------------------------------------------------------------------ L by columns */

/* Computes L by columns and symmetrises it: the columns differ by round-off, and the solver assumes symmetry. */
static void make_by_columns(RgPatchView *view, const Members *m, double *L, int32_t noutputs)
{
    for (int32_t j = 0; j < noutputs; j++)
        make_column(view, m, j, L, noutputs);
    for (int32_t i = 0; i < noutputs; i++)
        for (int32_t j = 0; j < i; j++) {
            double *low = &L[(size_t)i * (size_t)noutputs + (size_t)j];
            double *high = &L[(size_t)j * (size_t)noutputs + (size_t)i];
            *low = *high = 0.5 * (*low + *high);
        }
}

/* ------------------------------------------------------------------ B of single trees */

/* Data for the computation of B of one articulation. */
struct RgHalves {
    const RgPatchView *view;
    Members members;
    RgTreeOutputs outputs;
    RgHalfBlock block;
    RgArticulation *out;
    double *B;
};
typedef RgHalves Halves;

/* Sets columns of B to zero where the response is round-off of that of the body alone: joints lock the output. */
static void clear_locked_coordinates(const Halves *h)
{
    for (size_t j = 0; j < 6 * (size_t)h->members.nbodies; j++) {
        bool locked = h->block.squares[j] * mass_alone(h->view, &h->members, j) <= RG_LOCKED_RESPONSE;
        for (int32_t k = 0; locked && k < h->out->rank; k++)
            h->B[(size_t)k * h->block.stride + j] = 0.0;
    }
}

/* Allocates B and numbers its rows, for an articulation that is a single tree. Returns false if out of memory. */
static bool alloc_halves(RgPatchView *view, const Members *m, RgArticulation *out, Halves *h)
{
    const RgModel *model = view->setup->form->model;
    RgArena *arena = &view->memory;
    size_t n = (size_t)out->noutputs, width = rg_form_factor(view->setup->form)->stride;
    int *dofs = RG_ARENA_ALLOC_RAW(arena, int, m->nsingles);
    *h = (Halves){.view = view, .members = *m, .out = out};
    h->block = (RgHalfBlock){.stride = n,
                             .row = RG_ARENA_ALLOC_RAW(arena, int32_t, width),
                             .bodies = RG_ARENA_ALLOC_RAW(arena, RgHalfSpan, width),
                             .dofs = RG_ARENA_ALLOC_RAW(arena, RgHalfSpan, width),
                             .squares = RG_ARENA_ALLOC_RAW(arena, double, n)};
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < m->nsingles; i++)
        dofs[i] = view->single_dof[m->singles[i]];
    h->outputs = (RgTreeOutputs){m->bodies, view->from->centre + 1, dofs, m->nbodies, m->nsingles};
    h->block.first = rg_tree_outputs_first(model, &h->outputs);
    h->block.count = model->nv - h->block.first < (int)width ? model->nv - h->block.first : (int)width;
    out->rank = rg_tree_halves_number(model, &h->outputs, &h->block);
    RgOutputSpan *span = RG_ARENA_ALLOC_RAW(arena, RgOutputSpan, out->rank);
    out->B = h->B = RG_ARENA_ALLOC_RAW(arena, double, (size_t)out->rank *n);
    out->span = span;
    out->x = RG_ARENA_ALLOC(arena, double, out->rank);
    out->singles = 6 * m->nbodies;
    for (int k = 0; k < h->block.count && span != NULL; k++)
        if (h->block.row[k] >= 0)
            span[h->block.row[k]] = (RgOutputSpan){h->block.bodies[k].low, h->block.bodies[k].high};
    return !arena->failed;
}

/* Computes B of articulations first ... end - 1. */
static void compute_halves(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t i = first; i < end; i++) {
        Halves *h = (Halves *)context + i;
        memset(h->B, 0, (size_t)h->out->rank * h->block.stride * sizeof *h->B);
        memset(h->block.squares, 0, h->block.stride * sizeof *h->block.squares);
        rg_tree_halves(h->view->setup->form, &h->outputs, &h->block, h->B);
        clear_locked_coordinates(h);
    }
}

/* The tree of an articulation: its first velocity and all that descend from it. */
static RgTreePart tree_of(const RgModel *m, const Halves *h)
{
    RgTreePart part = {.dof = h->block.first, .dof_end = h->block.first + 1};
    while (part.dof_end < m->nv && m->dof_parent[part.dof_end] >= 0)
        part.dof_end++;
    return part;
}

bool rg_view_response(const RgPatchView *view, double *u)
{
    const RgForm *form = view->setup->form;
    if (view->halves == NULL || view->eliminated != NULL || form->kind->joints_are_rows || view->report.guarded > 0)
        return false;
    memset(u, 0, (size_t)form->nu * sizeof *u);
    for (int32_t g = 0; g < view->problem.ngroups; g++) {
        const Halves *h = &view->halves[g];
        for (int k = 0; k < h->block.count; k++)
            if (h->block.row[k] >= 0)
                u[h->block.first + k] = h->out->x[h->block.row[k]];
        rg_part_solve_half(&form->factor, tree_of(form->model, h), u);
    }
    return true;
}

/* Whether every articulation is one tree, with all bilateral rows in its factor. A carried field connects several
   trees, even if it has no rows at present. */
static bool has_halves(const RgPatchView *view)
{
    const RgConstraints *c = view->setup->constraints;
    bool one_tree = c->fields == NULL || !c->fields->ties;
    return one_tree && (c->tree.used || (!c->form->kind->joints_are_rows && c->rows.n == 0));
}

/* Makes the response of one articulation, L or, if halves is given, the memory of B. */
static bool make_group(RgPatchView *view, const Members *m, RgArticulation *out, Halves *halves)
{
    RgArena *arena = &view->memory;
    int32_t noutputs = 6 * m->nbodies + m->nsingles;
    int32_t *place = RG_ARENA_ALLOC_RAW(arena, int32_t, noutputs);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < 6 * m->nbodies; k++)
        place[k] = RG_BODY_PLACES * (m->bodies[k / 6] + 1) + k % 6;
    for (int32_t k = 0; k < m->nsingles; k++)
        place[6 * m->nbodies + k] = RG_BODY_PLACES * view->problem.nmovers + m->singles[k];
    *out = (RgArticulation){.noutputs = noutputs, .place = place};
    if (halves != NULL)
        return alloc_halves(view, m, out, halves);
    double *L = RG_ARENA_ALLOC_RAW(arena, double, (size_t)noutputs *(size_t)noutputs);
    if (L == NULL)
        return false;
    make_by_columns(view, m, L, noutputs);
    clear_locked(view, m, L, noutputs);
    out->L = L;
    return true;
}

/* ------------------------------------------------------------------ members of articulations */

/* Articulation of a body in this step; a free body with a row on its joint velocity is an articulation of its own; -1:
   none. */
static int group_of(const RgPatchView *view, const bool *by_joint, int body)
{
    if (!view->setup->bodies[body].free)
        return view->setup->bodies[body].group;
    return by_joint[body] ? view->setup->ngroups + body : -1;
}

/* Members of all articulations as linked lists in ascending order; -1 ends a list. */
typedef struct MemberLists {
    int32_t *first_body, *first_single; /* articulations */
    int32_t *next_body, *next_single;   /* bodies, singles */
} MemberLists;

static bool link_members(RgPatchView *view, const bool *touched, const bool *by_joint, MemberLists *c)
{
    const RgModel *m = view->setup->form->model;
    RgArena *arena = &view->memory;
    int total = view->setup->ngroups + m->nbodies;
    *c = (MemberLists){RG_ARENA_ALLOC_RAW(arena, int32_t, total), RG_ARENA_ALLOC_RAW(arena, int32_t, total),
                       RG_ARENA_ALLOC_RAW(arena, int32_t, m->nbodies), RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv)};
    if (arena->failed)
        return false;
    for (int g = 0; g < total; g++)
        c->first_body[g] = c->first_single[g] = -1;
    for (int i = m->nbodies - 1; i >= 0; i--) {
        int group = touched[i] ? group_of(view, by_joint, i) : -1;
        if (group < 0)
            continue;
        c->next_body[i] = c->first_body[group];
        c->first_body[group] = i;
    }
    for (int32_t k = view->problem.nsingles - 1; k >= 0; k--) {
        int group = group_of(view, by_joint, m->dof_body[view->single_dof[k]]);
        c->next_single[k] = c->first_single[group];
        c->first_single[group] = k;
    }
    return true;
}

/* Collects the members of one articulation; advances bodies and singles behind them. */
static Members find_members(const MemberLists *c, int group, int32_t **bodies, int32_t **singles)
{
    Members found = {.bodies = *bodies, .singles = *singles};
    for (int32_t i = c->first_body[group]; i >= 0; i = c->next_body[i])
        (*bodies)[found.nbodies++] = i;
    for (int32_t k = c->first_single[group]; k >= 0; k = c->next_single[k])
        (*singles)[found.nsingles++] = k;
    *bodies += found.nbodies;
    *singles += found.nsingles;
    return found;
}

/* Whether drives are in the mass matrix of an articulation. */
static bool is_driven(const RgPatchView *view, int group)
{
    const RgModel *m = view->setup->form->model;
    for (int i = 0; i < view->from->nrows && view->in_mass.count > 0; i++)
        if (view->from->rows[i].eliminated == RG_ELIMINATED_in_mass &&
            view->setup->bodies[m->dof_body[view->from->rows[i].row.dof[0]]].group == group)
            return true;
    return false;
}

/* Mass of the whole mechanism, not only of the members; 0: unknown. */
static double mass_of(const RgPatchView *view, const Members *m)
{
    int body = m->nbodies > 0 ? m->bodies[0] : view->setup->form->model->dof_body[view->single_dof[m->singles[0]]];
    double inverse = view->setup->bodies[body].inverse_mechanism_mass;
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

/* Stores the places of the members of articulation number `group` of the problem. */
static void place_members(const Members *m, int32_t group, RgSolverBody *movers, int32_t *single_group,
                          int32_t *single_output)
{
    for (int32_t i = 0; i < m->nbodies; i++) {
        movers[m->bodies[i] + 1].group = group;
        movers[m->bodies[i] + 1].output = 6 * i;
    }
    for (int32_t i = 0; i < m->nsingles; i++) {
        single_group[m->singles[i]] = group;
        single_output[m->singles[i]] = 6 * m->nbodies + i;
    }
}

/* Whether the factor of the bilateral rows keeps its digits. */
static bool factor_is_exact(const RgConstraints *c)
{
    bool fields = c->fields != NULL && c->fields->nrows > 0 && c->fields->strongest > STRONG_FIELD;
    return c->tree.used || c->rows.n == 0 ||
           (!fields && c->problem.redundant == 0 && !rg_direct_has_weak_rows(c->direct, &c->problem));
}

bool rg_view_articulations(RgPatchView *view, const bool *touched, const bool *by_joint, RgSolverBody *movers)
{
    RgArena *arena = &view->memory;
    const RgModel *m = view->setup->form->model;
    RgPatchProblem *p = &view->problem;
    int total = view->setup->ngroups + m->nbodies;
    bool by_halves = has_halves(view);
    view->exact = factor_is_exact(view->setup->constraints);
    RgArticulation *groups = RG_ARENA_ALLOC_RAW(arena, RgArticulation, total);
    Halves *halves = RG_ARENA_ALLOC_RAW(arena, Halves, by_halves ? total : 0);
    MemberLists lists;
    int32_t *bodies = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nbodies),
            *singles = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv);
    int32_t *single_group = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv),
            *single_output = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv);
    if (!link_members(view, touched, by_joint, &lists) || arena->failed)
        return false;
    p->groups = groups;
    p->single_group = single_group;
    p->single_output = single_output;
    for (int g = 0; g < total; g++) {
        if (lists.first_body[g] < 0 && lists.first_single[g] < 0)
            continue;
        Members members = find_members(&lists, g, &bodies, &singles);
        if (!make_group(view, &members, &groups[p->ngroups], by_halves ? &halves[p->ngroups] : NULL))
            return false;
        groups[p->ngroups].driven = is_driven(view, g);
        groups[p->ngroups].mass = mass_of(view, &members);
        p->driven = p->driven || groups[p->ngroups].driven;
        place_members(&members, p->ngroups, movers, single_group, single_output);
        p->ngroups++;
    }
    view->halves = by_halves ? halves : NULL;
    if (by_halves)
        rg_parallel_for(view->setup->form->thread_pool, p->ngroups, 1, compute_halves, halves);
    return true;
}
