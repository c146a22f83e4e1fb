/*
 * turning.c - gyroscopic terms of the semi-implicit step, without gain of energy.
 *
 * Evaluated explicitly at the start of a step, w x I w adds about (h w)^2 of the energy per step, and diverges for
 * h w > 1. For a free body it is evaluated at the middle (implicit midpoint rule), in body axes about the centre of
 * mass:
 *
 *   I (w1 - w0) + h wm x I wm = h torque,    wm = (w0 + w1) / 2
 *
 * solved by Newton's method. Without torque this conserves w I w and |I w| exactly, for every h. If Newton's method
 * does not converge the gyroscopic term is dropped, which conserves both too. The torque follows from the given
 * accelerations, so it includes all forces.
 *
 * In joint coordinates the velocity of a free body is that of its origin, which turns about the centre of mass. Over a
 * step the centre of mass moves straight: x and u of the origin follow from the centre and the rotation, so that
 * momentum is conserved, and both coordinate forms make the same step.
 *
 * Articulations (gyroscopic guard): if a body turns by more than a radian in the step, the velocity products of all
 * bodies of its articulation are dropped for the step. The report counts these bodies. The spin of a rotor (a body
 * without children, rotationally symmetric about its hinge and balanced: the rotor of a geared motor, a flywheel) does
 * not count, since nothing depends on its angle. For a rotor the rotation of its carrier counts, and the nutation of
 * the carrier by the spin s, h C s / (A + I): C, A are the rotor's moments of inertia along and across the hinge, I the
 * carrier's least one.
 */
#include "stepper/stepper.h"

#include <string.h>

/* rad: for smaller rotations in a step, explicit and midpoint evaluation differ by round-off only. */
#define NEGLIGIBLE_TURN 1e-8
/* rad: for larger rotations in a step, velocity products of articulations are dropped. */
#define MOST_TURN 1.0
/* Limit of Newton's iterations, and their tolerance relative to |I w0| + h |torque|. */
#define MOST_ITERATIONS 12
#define SOLVED 1e-14
/* Bodies per chunk of parallel work. */
#define CHUNK 64
/* Relative asymmetry of the inertia, and imbalance in radii of gyration, up to which a body counts as a rotor. */
#define ROTOR_TOLERANCE 1e-9

/* ------------------------------------------------------------------ one body */

static RgVec3 gyroscopic_torque(RgSym3 I, RgVec3 w)
{
    return v3_cross(w, s3_apply(I, w));
}

/* Solves (I + h/2 ([w] I - [I w])) x = b by Cramer's rule; false: singular. */
static bool newton_step(RgSym3 I, RgVec3 w, double h, RgVec3 b, RgVec3 *x)
{
    RgVec3 Iw = s3_apply(I, w), column[3];
    for (int k = 0; k < 3; k++) {
        RgVec3 e = v3(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0), Ie = s3_apply(I, e);
        column[k] = v3_axpy(0.5 * h, v3_sub(v3_cross(w, Ie), v3_cross(Iw, e)), Ie);
    }
    RgVec3 across = v3_cross(column[1], column[2]);
    double det = v3_dot(column[0], across);
    if (!(fabs(det) > 0.0))
        return false;
    *x = v3_scale(1.0 / det, v3(v3_dot(b, across), v3_dot(column[0], v3_cross(b, column[2])),
                                v3_dot(column[0], v3_cross(column[1], b))));
    return true;
}

/* Angular velocity at the end of the step from that at its start and the acceleration there, body axes. */
static RgVec3 integrate_spin(RgSym3 I, RgVec3 w0, RgVec3 alpha, double h)
{
    RgVec3 gyroscopic = gyroscopic_torque(I, w0), w = v3_axpy(h, alpha, w0);
    double size = v3_norm(s3_apply(I, w0));
    if (!(h * v3_norm(gyroscopic) > SOLVED * size))
        return w;
    RgVec3 torque = v3_add(s3_apply(I, alpha), gyroscopic);
    size += h * v3_norm(torque);
    w = w0;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        RgVec3 middle = v3_scale(0.5, v3_add(w0, w)), step;
        RgVec3 off = v3_axpy(h, v3_sub(gyroscopic_torque(I, middle), torque), s3_apply(I, v3_sub(w, w0)));
        if (v3_norm(off) <= SOLVED * size)
            return w;
        if (!newton_step(I, middle, h, off, &step))
            break;
        w = v3_sub(w, step);
    }

    /* Not converged: without the gyroscopic term, w0 + h I^-1 torque. */
    RgVec3 plain;
    return newton_step(I, v3_zero(), 0.0, torque, &plain) ? v3_axpy(h, plain, w0) : v3_axpy(h, alpha, w0);
}

/* ------------------------------------------------------------------ the two forms */

static RgVec3 load(const double *x)
{
    return v3(x[0], x[1], x[2]);
}

static void store(RgVec3 a, double *x)
{
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
}

/* Changes the acceleration of the body's origin so that the centre of mass keeps its acceleration when the angular
   acceleration changes by `change`. The rotation of the origin about the centre is left to rg_stage_correct_centres. */
static void keep_centre_acceleration(const RgForm *form, int body, RgVec3 w0, RgVec3 change, double *a)
{
    const RgBody *B = &form->model->bodies[body];
    RgMat3 R = form->kin->X_WB[body].R;
    RgVec3 r = m3_apply(R, B->inertia.com), w = m3_apply(R, w0);
    RgVec3 less = v3_sub(v3_cross(m3_apply(R, change), r), v3_cross(w, v3_cross(w, r)));
    double *linear = a + B->v0 + 3;
    store(v3_sub(load(linear), m3_apply_t(B->X_PF.R, less)), linear);
}

static bool is_off_centre(const RgStepScope *s, int body)
{
    return s->contact->setup.bodies[body].free && v3_norm2(s->model->bodies[body].inertia.com) > 0.0;
}

void rg_stage_correct_centres(RgStepScope *s, const double *moving, double h, double *x, double *u)
{
    const RgModel *m = s->model;
    for (int i = 0; i < m->nbodies && s->contact != NULL && !s->form->kind->joints_are_rows; i++) {
        const RgBody *B = &m->bodies[i];
        if (!is_off_centre(s, i) || !(h * h * v3_norm2(load(moving + B->v0)) > NEGLIGIBLE_TURN * NEGLIGIBLE_TURN))
            continue;
        RgMat3 R0 = s->form->kin->X_WB[i].R, R1 = m3_mul(B->X_PF.R, q_matrix(q_load(x + B->q0)));
        RgVec3 r0 = m3_apply(R0, B->inertia.com), r1 = m3_apply(R1, B->inertia.com);

        /* The centre moves by h times its velocity, and keeps its velocity. */
        RgVec3 swing = v3_cross(m3_apply(R0, load(moving + B->v0)), r0);
        RgVec3 further = m3_apply_t(B->X_PF.R, v3_axpy(h, swing, v3_sub(r0, r1)));
        store(v3_add(load(x + B->q0 + 4), further), x + B->q0 + 4);
        RgVec3 w = load(u + B->v0);
        RgVec3 faster = v3_sub(v3_cross(m3_apply(R0, w), r0), v3_cross(m3_apply(R1, w), r1));
        store(v3_add(load(u + B->v0 + 3), m3_apply_t(B->X_PF.R, faster)), u + B->v0 + 3);
    }
}

/* Arguments of the parallel loop. */
typedef struct Turning {
    const RgStepScope *scope;
    const double *u;
    double h;
    bool centred; /* only bodies whose velocity is that of their centre */
    double *a;
} Turning;

static void turn_body(const Turning *t, int i)
{
    const RgStepScope *s = t->scope;
    const RgForm *form = s->form;
    const RgBody *B = &s->model->bodies[i];
    bool maximal = form->kind->joints_are_rows, off_centre = !maximal && is_off_centre(s, i);
    if (!s->contact->setup.bodies[i].free || (t->centred && off_centre))
        return;
    int at = maximal ? 6 * i : B->v0;
    RgVec3 w0 = load(t->u + at);
    if (!(t->h * t->h * v3_norm2(w0) > NEGLIGIBLE_TURN * NEGLIGIBLE_TURN))
        return;
    const double *moment = maximal ? form->bodies[i].moment : NULL;
    RgSym3 I = maximal ? (RgSym3){moment[0], moment[1], moment[2], 0.0, 0.0, 0.0} : B->inertia.I;
    RgVec3 alpha = load(t->a + at), next = v3_scale(1.0 / t->h, v3_sub(integrate_spin(I, w0, alpha, t->h), w0));
    store(next, t->a + at);
    if (off_centre)
        keep_centre_acceleration(form, i, w0, v3_sub(next, alpha), t->a);
}

static void turn_range(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t i = first; i < end; i++)
        turn_body(context, i);
}

static void turn_bodies(RgStepScope *s, const double *u, double h, bool centred, double *a)
{
    Turning turning = {s, u, h, centred, a};
    if (s->contact != NULL)
        rg_parallel_for(s->form->thread_pool, s->model->nbodies, CHUNK, turn_range, &turning);
}

void rg_stage_gyroscopic(RgStepScope *s, const double *u, double h, double *a)
{
    turn_bodies(s, u, h, false, a);
}

void rg_stage_gyroscopic_centred(RgStepScope *s, const double *u, double h, double *a)
{
    turn_bodies(s, u, h, true, a);
}

/* ------------------------------------------------------------------ bodies on joints */

/* Whether body i turns about a hinge, has the same mass distribution at every angle, and has no children or loops. */
static bool is_rotor(const RgModel *m, int i)
{
    const RgBody *B = &m->bodies[i];
    if (!B->kind->helical || B->geometry.turn == 0.0 || B->geometry.slide != 0.0)
        return false;
    if (i + 1 < m->nbodies && m->bodies[i + 1].parent == i) /* numbered depth first */
        return false;
    for (int l = 0; l < m->nloops; l++)
        if (m->loops[l].body_a == i || m->loops[l].body_b == i)
            return false;

    /* The hinge is the z axis of the body. */
    RgSym3 I = B->inertia.I;
    RgVec3 c = B->inertia.com;
    double uneven = fabs(I.xx - I.yy) + fabs(I.xy) + fabs(I.xz) + fabs(I.yz);
    return uneven <= ROTOR_TOLERANCE * I.zz &&
           B->inertia.mass * (c.x * c.x + c.y * c.y) <= ROTOR_TOLERANCE * ROTOR_TOLERANCE * I.zz;
}

/* rad: rotation of a body in the step that counts for the gyroscopic guard. */
static double counted_turn(const RgStepScope *s, int i, double h)
{
    const RgModel *m = s->model;
    const RgKin *kin = s->form->kin;
    double turn = h * v3_norm(kin->V[i].w);
    if (turn <= MOST_TURN || !is_rotor(m, i))
        return turn;
    int carrier = m->bodies[i].parent;
    if (carrier < 0)
        return 0.0;
    RgVec3 w = kin->V[carrier].w;
    RgSym3 I = m->bodies[i].inertia.I;
    double moments[3], spin = v3_norm(v3_sub(kin->V[i].w, w));
    rg_principal_moments(&m->bodies[carrier].inertia, moments, NULL);
    double nutation = h * I.zz * spin / (I.xx + moments[0]);
    return fmax(h * v3_norm(w), nutation);
}

/* Marks the articulations with a body that turns too far. */
static bool mark_fast(RgStepScope *s, double h)
{
    const RgContactBody *bodies = s->contact->setup.bodies;
    bool *fast = s->scratch.bodies, any = false;
    memset(fast, 0, (size_t)s->model->nbodies * sizeof *fast);
    for (int i = 0; i < s->model->nbodies; i++)
        if (bodies[i].group >= 0 && counted_turn(s, i, h) > MOST_TURN)
            any = fast[bodies[i].group] = true;
    return any;
}

bool rg_stage_drop_products(RgStepScope *s, double h)
{
    if (s->contact == NULL || !mark_fast(s, h))
        return false;
    RgForm *form = s->form;
    for (int i = 0; i < s->model->nbodies; i++) {
        s->scratch.twists[i] = form->kin->V[i];
        int group = s->contact->setup.bodies[i].group;
        if (group < 0 || !s->scratch.bodies[group])
            continue;
        s->report->dropped_products++;
        rg_form_drop_products(form, i);
    }
    for (int l = 0; l < s->model->nloops; l++) {
        const RgLoop *loop = &s->model->loops[l];
        int body = loop->body_b >= 0 ? loop->body_b : loop->body_a;
        if (body >= 0 && s->contact->setup.bodies[body].group >= 0 &&
            s->scratch.bodies[s->contact->setup.bodies[body].group])
            rg_constraints_drop_products(s->constraints, l);
    }
    return true;
}

void rg_stage_restore_twists(RgStepScope *s)
{
    memcpy(s->form->kin->V, s->scratch.twists, (size_t)s->model->nbodies * sizeof *s->scratch.twists);
}
