/*
 * uniform_motion.c - bodies at constant velocities: poses and bounds of motion.
 *
 * Bodies that move straight (Drumwright 2016, eq. 4; Zapolsky, Drumwright 2015, eqs. 3-5): a point at c + rho moves
 * along n with speed n.v + (w x rho).n, hence at most
 *
 *   |n.v| + |n x w| r         r: distance of the shape's farthest point from c
 *
 * With componentwise errors e of the velocities: |n.v| + |n|.|e_v| replaces |n.v|, and g(w, e_w) replaces w, where g
 * moves each component away from zero by its error.
 *
 * Links of trees: contact/link_motion.h, the smaller of its two bounds. With errors only the bound by the path of a
 * point is used: the other relies on cancellation at the given velocities.
 */
#include "stepper/papers/advancement.h"

#include "collision/motion_bound.h"
#include "contact/link_motion.h"

#include <string.h>

/* Directions x, y, z. */
static const RgVec3 unit_axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

bool rg_uniform_alloc(RgArena *arena, RgStepScope *scope, RgUniformMotion *motion)
{
    const RgModel *m = scope->model;
    *motion = (RgUniformMotion){.scope = scope, .at = -1.0};
    motion->bodies = RG_ARENA_ALLOC(arena, RgUniformBody, m->nbodies + 1);
    motion->X_WS = RG_ARENA_ALLOC(arena, RgPose, m->nshapes);
    motion->x_at = RG_ARENA_ALLOC(arena, double, scope->form->nx);
    motion->move = RG_ARENA_ALLOC(arena, double, scope->form->nu);
    motion->faster = RG_ARENA_ALLOC(arena, double, scope->form->nu);
    return !arena->failed;
}

/* ------------------------------------------------------------------ poses */

static double away_from_zero(double x, double e)
{
    return x < 0.0 ? x - fabs(e) : x + fabs(e);
}

/* g of 000, eq. 5. */
static RgVec3 enlarge_by_error(RgVec3 w, RgVec3 e)
{
    return v3(away_from_zero(w.x, e.x), away_from_zero(w.y, e.y), away_from_zero(w.z, e.z));
}

/* Whether a body next to the world turns about a fixed axis at constant rates of its joint. */
static bool steady_root(const RgForm *form, int body)
{
    const RgBody *b = &form->model->bodies[body];
    if (b->parent >= 0)
        return false;
    return b->kind->bias == NULL || v3_norm2(b->kind->bias(&b->geometry, form->q + b->q0, form->v + b->v0).w) == 0.0;
}

static void init_body(RgUniformMotion *motion, int i)
{
    const RgForm *form = motion->scope->form;
    RgUniformBody *body = &motion->bodies[i];
    const RgPose *X_WB = &form->kin->X_WB[i];
    bool maximal = form->kind->joints_are_rows;
    RgVec3 arm = maximal ? m3_apply(X_WB->R, form->model->bodies[i].inertia.com) : v3_zero();
    RgMotion error = mv_zero();
    if (motion->error != NULL)
        rg_form_twist(form, i, motion->error, &error);
    *body = (RgUniformBody){.straight = maximal || steady_root(form, i),
                            .centre = v3_add(X_WB->p, arm),
                            .V = mv_shift(form->kin->V[i], arm),
                            .error = mv_shift(error, arm)};
}

static void evaluate_kinematics(RgUniformMotion *motion, double s)
{
    RgForm *form = motion->scope->form;
    if (motion->at == s)
        return;
    for (int k = 0; k < form->nu; k++)
        motion->move[k] = s * motion->u[k];
    form->kind->integrate(form, motion->x, motion->move, motion->x_at);
    form->kind->kinematics(form, motion->x_at, motion->u);
    motion->at = s;
}

RgStatus rg_uniform_begin(RgUniformMotion *motion, const double *x, const double *u, const double *error)
{
    RgStepScope *c = motion->scope;
    RgForm *form = c->form;
    motion->x = x;
    motion->u = u;
    motion->error = error;
    form->kind->kinematics(form, x, u);
    motion->at = 0.0;
    for (int i = 0; i < c->model->nbodies; i++)
        init_body(motion, i);
    motion->bodies[c->model->nbodies] = (RgUniformBody){.straight = true};
    for (int k = 0; k < form->nu; k++)
        motion->faster[k] = error != NULL ? away_from_zero(u[k], error[k]) : u[k];
    if (c->scene == NULL)
        return RG_OK;
    RgStatus status = rg_contact_scene_place(c->scene, form->kin);
    memcpy(motion->X_WS, c->scene->X_WS, (size_t)c->model->nshapes * sizeof *motion->X_WS);
    return status;
}

RgMovingPiece rg_uniform_piece(const RgUniformMotion *motion, int shape)
{
    const RgContactScene *scene = motion->scope->scene;
    const RgShapeDef *def = &motion->scope->model->shapes[shape].def;
    int body = scene->body[shape];
    RgLinkBall ball = {def->link, pose_apply(def->X_LS, scene->ball_centre[shape]), scene->ball_radius[shape]};
    return (RgMovingPiece){scene->geometry[shape], shape, body >= 0 ? body : motion->scope->model->nbodies, ball};
}

/* The motion of a piece from time s on. */
static RgSweep sweep_of(const RgUniformMotion *motion, const RgMovingPiece *piece, double s)
{
    const RgUniformBody *body = &motion->bodies[piece->body];
    RgSweep sweep = {piece->geometry, motion->X_WS[piece->shape], body->centre, body->V};
    if (s == 0.0)
        return sweep;
    RgPose X = rg_sweep_pose(&sweep, s);
    return (RgSweep){piece->geometry, X, v3_axpy(s, body->V.v, body->centre), body->V};
}

bool rg_uniform_straight(const RgUniformMotion *motion, const RgMovingPiece *piece)
{
    return motion->bodies[piece->body].straight;
}

RgPieceAt rg_uniform_at(RgUniformMotion *motion, const RgMovingPiece *piece, double s)
{
    if (rg_uniform_straight(motion, piece)) {
        RgSweep sweep = sweep_of(motion, piece, s);
        return (RgPieceAt){sweep.X_WG, sweep.centre, sweep.V};
    }
    evaluate_kinematics(motion, s);
    const RgKin *kin = motion->scope->form->kin;
    const RgPose *X_WB = &kin->X_WB[piece->body];
    return (RgPieceAt){pose_mul(*X_WB, motion->scope->scene->X_BS[piece->shape]), X_WB->p, kin->V[piece->body]};
}

/* ------------------------------------------------------------------ bounds */

/* m/s: bound of the speed along n by rotation. */
static double turn_speed(const RgUniformMotion *motion, const RgMovingPiece *piece, RgVec3 n)
{
    const RgUniformBody *body = &motion->bodies[piece->body];
    RgSweep sweep = sweep_of(motion, piece, 0.0);
    sweep.V = (RgMotion){enlarge_by_error(body->V.w, body->error.w), {0.0, 0.0, 0.0}};
    return rg_motion_bound(&sweep, n);
}

/* m/s: bound of the error of the speed along n. */
static double error_along(const RgUniformBody *body, RgVec3 n)
{
    return fabs(n.x * body->error.v.x) + fabs(n.y * body->error.v.y) + fabs(n.z * body->error.v.z);
}

double rg_uniform_approach(const RgUniformMotion *motion, const RgMovingPiece *a, const RgMovingPiece *b, RgVec3 n,
                           bool absolute)
{
    const RgUniformBody *A = &motion->bodies[a->body], *B = &motion->bodies[b->body];
    double along = v3_dot(n, v3_sub(A->V.v, B->V.v));
    return (absolute ? fabs(along) : along) + error_along(A, n) + error_along(B, n) + turn_speed(motion, a, n) +
           turn_speed(motion, b, n);
}

double rg_uniform_travel(RgUniformMotion *motion, const RgMovingPiece *piece, RgVec3 n, double s, double span)
{
    const RgUniformBody *body = &motion->bodies[piece->body];
    if (body->straight)
        return span * (fabs(v3_dot(n, body->V.v)) + error_along(body, n) + turn_speed(motion, piece, n));
    evaluate_kinematics(motion, s);
    const RgForm *form = motion->scope->form;
    if (motion->error != NULL || motion->by_path)
        return rg_link_travel(form->model, form->q, motion->faster, &piece->ball, n, span).path;
    return rg_link_motion_bound(form->model, form->q, form->v, &piece->ball, n, span);
}

double rg_uniform_reach(RgUniformMotion *motion, const RgMovingPiece *piece, double span)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double along = rg_uniform_travel(motion, piece, unit_axis[k], 0.0, span);
        sum += along * along;
    }
    return sqrt(sum);
}

double rg_uniform_acceleration(RgUniformMotion *motion, const RgLinkBall *ball, double s, double span)
{
    const RgForm *form = motion->scope->form;
    evaluate_kinematics(motion, s);
    return rg_link_travel(form->model, form->q, form->v, ball, unit_axis[0], span).acceleration;
}
