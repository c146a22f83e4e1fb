/*
 * ode_order.c - the row order of the quick step of the Open Dynamics Engine 0.16, and its random generator.
 *
 * ODE keeps bodies and joints in lists, newest first. An island is found from its first body by depth-first search:
 *
 *   for a body, all joints not yet visited, in the order of its list; the bodies at their other ends are pushed on a
 *   stack; then the same for the body on top of the stack
 *
 * Rows of an island: those without friction index in this order, then those with one. A contact point is a joint of its
 * own with the rows normal, first and second direction; contacts are created after all joints. Limits and motors are
 * the last rows of their joint.
 *
 * Here a body is a block of six unknowns, or a single unknown where unknowns are coordinates of robots; later creation
 * means a larger number. A joint is a run of bilateral rows on the same unknowns, together with the bounded rows on
 * these; joints are created in the order of the last body of each.
 *
 *   x <- 1664525 x + 1013904223 mod 2^32; a number below n: x folded by exclusive or to the w = 1, 2, 4, 8, 16 or 32
 *   bits that n - 1 needs, times n, divided by 2^w
 *
 * Cost: linear in the coefficients.
 */
#include "solver/pgs/row_order.h"

#include <string.h>

/* ------------------------------------------------------------------ random numbers */

uint32_t rg_ode_random_at(uint32_t seed, uint32_t draws)
{
    /* n steps x <- a x + c are one such step with a^n and c (a^n - 1) / (a - 1), found by repeated squaring. */
    uint32_t a = UINT32_C(1664525), c = UINT32_C(1013904223);
    for (; draws > 0; draws >>= 1) {
        if (draws & 1)
            seed = a * seed + c;
        c = (a + 1) * c;
        a = a * a;
    }
    return seed;
}

uint32_t rg_ode_random_below(uint32_t *state, uint32_t n)
{
    uint32_t x = *state = UINT32_C(1664525) * *state + UINT32_C(1013904223);
    unsigned bits = n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : n <= 256 ? 8 : n <= 65536 ? 16 : 32;
    for (unsigned k = 16; k >= bits; k /= 2)
        x ^= x >> k;
    uint64_t kept = bits < 32 ? x & ((UINT32_C(1) << bits) - 1) : x;
    return (uint32_t)((kept * n) >> bits);
}

/* ------------------------------------------------------------------ joints and bodies */

/* A joint in the list of a body. */
typedef struct BodyLink {
    int32_t joint, next; /* next: link of the same body that was created before; -1: none */
} BodyLink;

typedef struct Joint {
    int32_t first_row, last_row; /* a list by next_row */
    int32_t first_link, end_link;
    bool visited;
} Joint;

typedef struct Graph {
    const RgProblem *p;
    int32_t *body_of;  /* nu */
    int32_t *body;     /* body of each link */
    int32_t *latest;   /* bodies: newest link; -1: none */
    int32_t *next_row; /* n: next row of the same joint; -1: none */
    int32_t *runs;     /* bodies: first rows of joints, a list by next_row; -1: none */
    bool *found;       /* bodies */
    int32_t *stack;
    Joint *joints;
    BodyLink *links;
    int32_t nbodies, njoints, nlinks;
} Graph;

static void number_bodies(Graph *g)
{
    const RgProblem *p = g->p;
    int next_block = 0;
    for (int k = 0; k < p->nu;) {
        bool block = next_block < p->nblocks && p->block[next_block] == k;
        next_block += block;
        for (int end = k + (block ? 6 : 1); k < end; k++)
            g->body_of[k] = g->nbodies;
        g->nbodies++;
    }
}

static bool same_unknowns(const RgProblem *p, int i, int j)
{
    int count = p->start[i + 1] - p->start[i];
    return count == p->start[j + 1] - p->start[j] &&
           memcmp(p->columns + p->start[i], p->columns + p->start[j], (size_t)count * sizeof *p->columns) == 0;
}

static void append_row(Graph *g, Joint *joint, int i)
{
    g->next_row[i] = -1;
    if (joint->first_row < 0)
        joint->first_row = i;
    else
        g->next_row[joint->last_row] = i;
    joint->last_row = i;
}

/* Adds a joint on the unknowns of row i. */
static Joint *add_joint(Graph *g, int i)
{
    const RgProblem *p = g->p;
    int32_t number = g->njoints++, last = -1;
    Joint *joint = &g->joints[number];
    *joint = (Joint){.first_row = -1, .first_link = g->nlinks};
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        int32_t body = g->body_of[p->columns[e]];
        if (body == last)
            continue;
        g->body[g->nlinks] = last = body;
        g->links[g->nlinks] = (BodyLink){number, g->latest[body]};
        g->latest[body] = g->nlinks++;
    }
    joint->end_link = g->nlinks;
    return joint;
}

/* Finds the joint of bilateral rows on the unknowns of row i; NULL: none. */
static Joint *find_joint(Graph *g, int i)
{
    const RgProblem *p = g->p;
    if (p->start[i] == p->start[i + 1])
        return NULL;
    int32_t at = g->latest[g->body_of[p->columns[p->start[i]]]];
    for (; at >= 0; at = g->links[at].next) {
        Joint *joint = &g->joints[g->links[at].joint];
        if (p->row_class[joint->first_row] == RG_ROW_BILATERAL && same_unknowns(p, joint->first_row, i))
            return joint;
    }
    return NULL;
}

/* First row after the run of bilateral rows on the same unknowns that starts at row i. */
static int end_of_run(const RgProblem *p, int i)
{
    int end = i + 1;
    while (end < p->n && p->row_class[end] == RG_ROW_BILATERAL && same_unknowns(p, i, end))
        end++;
    return end;
}

/* Adds the bilateral joints in the order of their last bodies, which a joint of a tree carries: rows are ordered from
   the leaves to the roots. */
static void add_bilateral_joints(Graph *g)
{
    const RgProblem *p = g->p;
    for (int i = 0; i < p->n; i++) {
        if (p->row_class[i] != RG_ROW_BILATERAL || p->start[i] == p->start[i + 1])
            continue;
        int32_t last = g->body_of[p->columns[p->start[i + 1] - 1]];
        g->next_row[i] = g->runs[last];
        g->runs[last] = i;
        i = end_of_run(p, i) - 1;
    }
    for (int32_t b = 0; b < g->nbodies; b++)
        for (int32_t run = g->runs[b], next; run >= 0; run = next) {
            next = g->next_row[run];
            Joint *joint = add_joint(g, run);
            for (int i = run, end = end_of_run(p, run); i < end; i++)
                append_row(g, joint, i);
        }
}

/* Adds bounded rows to their joints, and contact points as joints of their own. */
static void add_bounded_and_contacts(Graph *g)
{
    const RgProblem *p = g->p;
    Joint *current = NULL;
    for (int i = 0; i < p->n; i++) {
        int row_class = p->row_class[i];
        if (row_class == RG_ROW_BILATERAL || p->start[i] == p->start[i + 1])
            continue;
        if (row_class == RG_ROW_BOUNDED)
            current = find_joint(g, i);
        if (current == NULL || row_class == RG_ROW_NORMAL)
            current = add_joint(g, i);
        append_row(g, current, i);
    }
}

/* ------------------------------------------------------------------ islands */

static int32_t visit_joint(Graph *g, Joint *joint, int32_t *rows, int32_t n, int32_t *top)
{
    joint->visited = true;
    for (int32_t i = joint->first_row; i >= 0; i = g->next_row[i])
        rows[n++] = i;
    for (int32_t e = joint->first_link; e < joint->end_link; e++) {
        if (!g->found[g->body[e]])
            g->stack[(*top)++] = g->body[e];
        g->found[g->body[e]] = true;
    }
    return n;
}

/* Collects the rows of the island of a body, joint by joint. Returns how many. */
static int32_t find_island(Graph *g, int32_t body, int32_t *rows)
{
    int32_t n = 0, top = 0;
    g->found[body] = true;
    g->stack[top++] = body;
    while (top > 0) {
        body = g->stack[--top];
        for (int32_t at = g->latest[body]; at >= 0; at = g->links[at].next)
            if (!g->joints[g->links[at].joint].visited)
                n = visit_joint(g, &g->joints[g->links[at].joint], rows, n, &top);
    }
    return n;
}

/* Copies the rows with friction last. */
static void move_friction_last(const RgProblem *p, const int32_t *rows, int32_t n, int32_t *out)
{
    for (int friction = 0; friction < 2; friction++)
        for (int32_t k = 0; k < n; k++)
            if ((p->row_class[rows[k]] == RG_ROW_FRICTION) == (friction == 1))
                *out++ = rows[k];
}

bool rg_ode_order_make(RgArena *arena, const RgProblem *p, RgRowOrder *out)
{
    int32_t entries = p->start[p->n];
    Graph g = {.p = p,
               .body_of = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu),
               .body = RG_ARENA_ALLOC_RAW(arena, int32_t, entries),
               .latest = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu),
               .next_row = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n),
               .runs = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu),
               .found = RG_ARENA_ALLOC(arena, bool, p->nu),
               .stack = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu),
               .joints = RG_ARENA_ALLOC_RAW(arena, Joint, p->n),
               .links = RG_ARENA_ALLOC_RAW(arena, BodyLink, entries)};
    int32_t *rows = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n);
    *out = (RgRowOrder){.row = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n),
                        .parts = RG_ARENA_ALLOC_RAW(arena, RgRowPart, p->n)};
    if (arena->failed)
        return false;
    number_bodies(&g);
    for (int32_t b = 0; b < g.nbodies; b++)
        g.latest[b] = g.runs[b] = -1;
    add_bilateral_joints(&g);
    add_bounded_and_contacts(&g);
    for (int32_t b = g.nbodies; b-- > 0;) {
        int32_t n = g.found[b] ? 0 : find_island(&g, b, rows);
        move_friction_last(p, rows, n, out->row + out->nrows);
        if (n > 0)
            out->parts[out->nparts++] = (RgRowPart){out->nrows, out->nrows + n};
        out->nrows += n;
    }
    return true;
}
