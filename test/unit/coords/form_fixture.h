/* form_fixture.h - a model in one coordinate form with everything a unit test of rows and forms needs, and
   differences in time. */
#ifndef TEST_UNIT_FORM_FIXTURE_H
#define TEST_UNIT_FORM_FIXTURE_H

#include "check_near.h"
#include "constraint/constraints.h"
#include "random_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct FormCase {
    const RgModel *model;
    RgArena arena;
    RgForm *form;
    RgConstraints *c;
    double *x, *u;       /* nx, nu: the state */
    double *x_at, *move; /* nx, nu: work */
} FormCase;

static inline FormCase form_case(const RgModel *model, const char *coords)
{
    FormCase f = {.model = model};
    rg_arena_init(&f.arena, NULL);
    f.form = rg_form_alloc(&f.arena, model, rg_coords_kind(rg_coords_find(coords)));
    cr_assert(f.form != NULL);
    f.c = rg_constraints_alloc(&f.arena, f.form, NULL);
    f.x = RG_ARENA_ALLOC(&f.arena, double, f.form->nx);
    f.x_at = RG_ARENA_ALLOC(&f.arena, double, f.form->nx);
    f.u = RG_ARENA_ALLOC(&f.arena, double, f.form->nu);
    f.move = RG_ARENA_ALLOC(&f.arena, double, f.form->nu);
    cr_assert(f.c != NULL && !f.arena.failed);
    return f;
}

static inline void form_case_end(FormCase *f)
{
    rg_constraints_free(f->c);
    rg_arena_free(&f->arena);
}

static inline void form_set(FormCase *f, const double *q, const double *v)
{
    f->form->kind->from_joints(f->form, q, v, f->x, f->u);
}

/* A random tree at a random state. */
static inline FormCase form_seed_in(uint64_t seed, const char *coords, TestState *s)
{
    RandomTree options = {.seed = seed};
    const RgModel *model = random_tree(&options);
    *s = random_state(model, seed);
    FormCase f = form_case(model, coords);
    form_set(&f, s->q, s->v);
    return f;
}

static inline FormCase form_seed(uint64_t seed, TestState *s)
{
    return form_seed_in(seed, seed % 2 == 0 ? "minimal" : "maximal", s);
}

static inline void form_seed_end(FormCase *f, TestState *s)
{
    form_case_end(f);
    test_state_destroy(s);
    rg_model_destroy((RgModel *)f->model);
}

/* Kinematics and loop joints t seconds later, at the velocities u (NULL: those of the state). */
static inline void form_look(FormCase *f, double t, const double *u)
{
    const RgCoordsKind *kind = f->form->kind;
    const double *velocity = u != NULL ? u : f->u;
    for (int k = 0; k < f->form->nu; k++)
        f->move[k] = t * velocity[k];
    kind->integrate(f->form, f->x, f->move, f->x_at);
    kind->kinematics(f->form, f->x_at, velocity);
    rg_constraints_observe(f->c);
}

/* Mass and velocity-product accelerations at the present kinematics, without forces; out: nu
   accelerations. */
static inline void form_weigh(FormCase *f, double *out)
{
    double *none = calloc((size_t)f->model->nv + 1, sizeof *none);
    int bad;
    RgForces forces = {.tau = none, .needs_solve = true};
    cr_assert(f->form->kind->dynamics(f->form, &forces, out, &bad));
    free(none);
}

/* d/dt by central differences of fourth order; f: values at -2h, -h, h, 2h. */
#define FORM_STEP 1e-3
static const double form_times[4] = {-2.0 * FORM_STEP, -FORM_STEP, FORM_STEP, 2.0 * FORM_STEP};

static inline double form_difference(const double f[4])
{
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * FORM_STEP);
}

static inline RgVec3 form_difference3(const RgVec3 f[4])
{
    const double x[4] = {f[0].x, f[1].x, f[2].x, f[3].x}, y[4] = {f[0].y, f[1].y, f[2].y, f[3].y};
    const double z[4] = {f[0].z, f[1].z, f[2].z, f[3].z};
    return (RgVec3){form_difference(x), form_difference(y), form_difference(z)};
}

/* Spatial acceleration from twists about a moving origin: A.v = d(V.v)/dt - w x V.v. */
static inline RgMotion form_acceleration(const RgMotion V[4], RgMotion now)
{
    const RgVec3 w[4] = {V[0].w, V[1].w, V[2].w, V[3].w}, v[4] = {V[0].v, V[1].v, V[2].v, V[3].v};
    return (RgMotion){form_difference3(w), v3_sub(form_difference3(v), v3_cross(now.w, now.v))};
}

static inline void form_six(RgMotion m, double out[6])
{
    const double numbers[6] = {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
    memcpy(out, numbers, sizeof numbers);
}

#define CHECK_MOTION(actual, expected, tolerance, unit)                                                                \
    do {                                                                                                               \
        double check_a[6], check_e[6];                                                                                 \
        form_six((actual), check_a);                                                                                   \
        form_six((expected), check_e);                                                                                 \
        CHECK_NEAR_ALL(check_a, check_e, 6, tolerance, unit);                                                          \
    } while (0)

#endif
