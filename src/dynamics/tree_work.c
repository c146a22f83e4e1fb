/*
 * tree_work.c - memory of the tree algorithms, and mass constants of a model.
 *
 * Masses and inertias of two bodies side by side (RgInertiaPair), and the constant factors for merging composites
 * (RgMerge), children of higher number first, as in CRBA. Massless composites merge with factor 0.
 */
#include "dynamics/tree_dynamics.h"

static void set_solid_lane(const RgInertia *in, int lane, RgInertiaPair *pair)
{
    double com[3] = {in->com.x, in->com.y, in->com.z};
    double I[6] = {in->I.xx, in->I.yy, in->I.zz, in->I.xy, in->I.xz, in->I.yz};
    pair->mass[lane] = in->mass;
    for (int k = 0; k < 3; k++)
        pair->com[k][lane] = com[k];
    for (int k = 0; k < 6; k++)
        pair->I[k][lane] = I[k];
}

static void compute_merge_factors(const RgModel *model, RgMerge *merge)
{
    for (int i = 0; i < model->nbodies; i++)
        merge[i].total = model->bodies[i].inertia.mass;
    for (int i = model->nbodies - 1; i >= 0; i--) {
        if (model->bodies[i].parent < 0)
            continue;
        RgMerge *child = &merge[i], *parent = &merge[model->bodies[i].parent];
        double sum = parent->total + child->total;
        child->share = sum > 0.0 ? child->total / sum : 0.0;
        child->reduced = parent->total * child->share;
        parent->total = sum;
    }
}

/* Smallest number of bodies of a part, so that the work outweighs the hand-over to a thread. */
#define PART_BODIES 16

/* Divides the bodies into parts at roots with an even number and an even first velocity, so that no pair of bodies or
   velocities is divided. Returns the number of parts. */
static int cut_parts(const RgModel *m, RgTreePart *parts)
{
    int n = 0;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        bool cut = B->parent < 0 && i % 2 == 0 && B->v0 % 2 == 0;
        if (n == 0 || (cut && i - parts[n - 1].body >= PART_BODIES))
            parts[n++] = (RgTreePart){.body = i, .dof = B->v0};
        parts[n - 1].body_end = i + 1;
        parts[n - 1].dof_end = B->v0 + B->nv;
    }
    return n;
}

RgTreeWork *rg_tree_work_alloc(RgArena *arena, const RgModel *model)
{
    RgTreeWork *work = RG_ARENA_ALLOC(arena, RgTreeWork, 1);
    if (work == NULL)
        return NULL;
    int n = model->nbodies, nv = model->nv;
    work->model = model;
    work->A = RG_ARENA_ALLOC(arena, RgMotion, n + 1);
    work->V = RG_ARENA_ALLOC(arena, RgMotion, n);
    work->four = RG_ARENA_ALLOC(arena, RgFourTwists, n);
    work->energy = (double(*)[4])rg_arena_alloc(arena, (size_t)n / PART_BODIES + 1, sizeof *work->energy);
    work->f = RG_ARENA_ALLOC(arena, RgForce, n);
    work->composite = RG_ARENA_ALLOC(arena, RgCentralInertia, n);
    work->from_root = RG_ARENA_ALLOC(arena, RgVec3, n);
    work->axes = RG_ARENA_ALLOC(arena, RgAxisPair, (nv + 1) / 2);
    work->articulated = RG_ARENA_ALLOC(arena, RgArticulated, n);
    work->U = RG_ARENA_ALLOC(arena, RgForce, nv);
    work->u = RG_ARENA_ALLOC(arena, double, nv);
    work->inverse_d = RG_ARENA_ALLOC(arena, double, nv);
    work->solids = RG_ARENA_ALLOC(arena, RgInertiaPair, (n + 1) / 2);
    work->merge = RG_ARENA_ALLOC(arena, RgMerge, n);
    work->parts = RG_ARENA_ALLOC(arena, RgTreePart, n / PART_BODIES + 1);
    work->bad_dof = RG_ARENA_ALLOC(arena, int, n / PART_BODIES + 1);
    if (arena->failed)
        return NULL;

    /* Index -1: the world. */
    work->A++;
    for (int i = 0; i < n; i++)
        set_solid_lane(&model->bodies[i].inertia, i % 2, &work->solids[i / 2]);
    compute_merge_factors(model, work->merge);
    work->nparts = cut_parts(model, work->parts);
    return work;
}
