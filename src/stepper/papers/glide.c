/*
 * glide.c - bodies at constant velocities: places and bounds.
 *
 * Bodies that go straight (Drumwright 2016, eq. 4; Zapolsky, Drumwright 2015, eqs. 3-5): a point at c + rho moves along
 * n with n.v + (w x rho).n, hence by at most
 *
 *   |n.v| + |n x w| r         r: farthest point of the shape from c
 *
 * With errors e of the velocities, known to a component:  |n|.(|v| + |e_v|) in place of |n.v| only where the sign is not
 * used, and g(w, e_w) in place of w, each component moved by its error away from zero.
 *
 * Links of trees: contact/link_motion.h, the lesser of its two bounds. The speed-up by errors counts for the path of a
 * point alone: what cancels now need not cancel then.
 */
#include "stepper/papers/glide.h"

#include "collision/motion_bound.h"
#include "contact/link_motion.h"

#include <string.h>

/* Directions x, y, z. */
static const RgVec3 unit_axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

bool rg_glide_take(RgArena *arena, RgStepScope *scope, RgGlide *glide)
{
    const RgModel *m = scope->model;
    *glide = (RgGlide){.scope = scope, .at = -1.0};
    glide->bodies = RG_TAKE(arena, RgGlideBody, m->nbodies + 1);
    glide->X_WS = RG_TAKE(arena, RgPose, m->nshapes);
    glide->x_at = RG_TAKE(arena, double, scope->form->nx);
    glide->move = RG_TAKE(arena, double, scope->form->nu);
    glide->faster = RG_TAKE(arena, double, scope->form->nu);
    return !arena->failed;
}

/* ------------------------------------------------------------------ places */

static double away_from_zero(double x, double e)
{
    return x < 0.0 ? x - fabs(e) : x + fabs(e);
}

/* 000, eq. 5. */
static RgVec3 faster(RgVec3 w, RgVec3 e)
{
    return v3(away_from_zero(w.x, e.x), away_from_zero(w.y, e.y), away_from_zero(w.z, e.z));
}

/* Whether constant rates of its joint let a body next to the world turn about a fixed axis. */
static bool steady_root(const RgForm *form, int body)
{
    const RgBody *b = &form->model->bodies[body];
    if (b->parent >= 0)
        return false;
    return b->kind->bias == NULL ||
           v3_norm2(b->kind->bias(&b->geometry, form->q + b->q0, form->v + b->v0).w) == 0.0;
}

static void begin_body(RgGlide *glide, int i)
{
    const RgForm *form = glide->scope->form;
    RgGlideBody *body = &glide->bodies[i];
    const RgPose *X_WB = &form->kin->X_WB[i];
    bool maximal = form->kind->joints_are_rows;
    RgVec3 arm = maximal ? m3_apply(X_WB->R, form->model->bodies[i].inertia.com) : v3_zero();
    RgMotion error = mv_zero();
    if (glide->error != NULL)
        form->kind->twist(form, i, glide->error, &error);
    *body = (RgGlideBody){.straight = maximal || steady_root(form, i),
                          .centre = v3_add(X_WB->p, arm),
                          .V = mv_shift(form->kin->V[i], arm),
                          .error = mv_shift(error, arm)};
}

static void stand_at(RgGlide *glide, double s)
{
    RgForm *form = glide->scope->form;
    if (glide->at == s)
        return;
    for (int k = 0; k < form->nu; k++)
        glide->move[k] = s * glide->u[k];
    form->kind->integrate(form, glide->x, glide->move, glide->x_at);
    form->kind->kinematics(form, glide->x_at, glide->u);
    glide->at = s;
}

RgStatus rg_glide_begin(RgGlide *glide, const double *x, const double *u, const double *error)
{
    RgStepScope *c = glide->scope;
    RgForm *form = c->form;
    glide->x = x;
    glide->u = u;
    glide->error = error;
    form->kind->kinematics(form, x, u);
    glide->at = 0.0;
    for (int i = 0; i < c->model->nbodies; i++)
        begin_body(glide, i);
    glide->bodies[c->model->nbodies] = (RgGlideBody){.straight = true};
    for (int k = 0; k < form->nu; k++)
        glide->faster[k] = error != NULL ? away_from_zero(u[k], error[k]) : u[k];
    if (c->scene == NULL)
        return RG_OK;
    RgStatus status = rg_contact_scene_place(c->scene, form->kin);
    memcpy(glide->X_WS, c->scene->X_WS, (size_t)c->model->nshapes * sizeof *glide->X_WS);
    return status;
}

RgGlidePiece rg_glide_piece(const RgGlide *glide, int shape)
{
    const RgContactScene *scene = glide->scope->scene;
    const RgShapeDef *def = &glide->scope->model->shapes[shape].def;
    int body = scene->body[shape];
    RgLinkBall ball = {def->link, pose_apply(def->X_LS, scene->ball_centre[shape]),
                       scene->ball_radius[shape]};
    return (RgGlidePiece){scene->geometry[shape], shape, body >= 0 ? body : glide->scope->model->nbodies,
                          ball};
}

/* The piece as it goes from time s on. */
static RgSweep sweep_of(const RgGlide *glide, const RgGlidePiece *piece, double s)
{
    const RgGlideBody *body = &glide->bodies[piece->body];
    RgSweep sweep = {piece->geometry, glide->X_WS[piece->shape], body->centre, body->V};
    if (s == 0.0)
        return sweep;
    RgPose X = rg_sweep_pose(&sweep, s);
    return (RgSweep){piece->geometry, X, v3_axpy(s, body->V.v, body->centre), body->V};
}

RgGlideAt rg_glide_at(RgGlide *glide, const RgGlidePiece *piece, double s)
{
    if (rg_glide_straight(glide, piece)) {
        RgSweep sweep = sweep_of(glide, piece, s);
        return (RgGlideAt){sweep.X_WG, sweep.centre, sweep.V};
    }
    stand_at(glide, s);
    const RgKin *kin = glide->scope->form->kin;
    const RgPose *X_WB = &kin->X_WB[piece->body];
    return (RgGlideAt){pose_mul(*X_WB, glide->scope->scene->X_BS[piece->shape]), X_WB->p,
                       kin->V[piece->body]};
}

/* ------------------------------------------------------------------ bounds */

/* Speed that turning adds along n, at most. */
static double turn_speed(const RgGlide *glide, const RgGlidePiece *piece, RgVec3 n)
{
    const RgGlideBody *body = &glide->bodies[piece->body];
    RgSweep sweep = sweep_of(glide, piece, 0.0);
    sweep.V = (RgMotion){faster(body->V.w, body->error.w), {0.0, 0.0, 0.0}};
    return rg_motion_bound(&sweep, n);
}

static double error_along(const RgGlideBody *body, RgVec3 n)
{
    return fabs(n.x * body->error.v.x) + fabs(n.y * body->error.v.y) + fabs(n.z * body->error.v.z);
}

double rg_glide_approach(const RgGlide *glide, const RgGlidePiece *a, const RgGlidePiece *b, RgVec3 n,
                         bool absolute)
{
    const RgGlideBody *A = &glide->bodies[a->body], *B = &glide->bodies[b->body];
    double along = v3_dot(n, v3_sub(A->V.v, B->V.v));
    return (absolute ? fabs(along) : along) + error_along(A, n) + error_along(B, n) +
           turn_speed(glide, a, n) + turn_speed(glide, b, n);
}

double rg_glide_travel(RgGlide *glide, const RgGlidePiece *piece, RgVec3 n, double s, double span)
{
    const RgGlideBody *body = &glide->bodies[piece->body];
    if (body->straight)
        return span * (fabs(v3_dot(n, body->V.v)) + error_along(body, n) + turn_speed(glide, piece, n));
    stand_at(glide, s);
    const RgForm *form = glide->scope->form;
    if (glide->error != NULL || glide->by_path)
        return rg_link_travel(form->model, form->q, glide->faster, &piece->ball, n, span).path;
    return rg_link_motion_bound(form->model, form->q, form->v, &piece->ball, n, span);
}

double rg_glide_reach(RgGlide *glide, const RgGlidePiece *piece, double span)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double along = rg_glide_travel(glide, piece, unit_axis[k], 0.0, span);
        sum += along * along;
    }
    return sqrt(sum);
}

double rg_glide_acceleration(RgGlide *glide, const RgLinkBall *ball, double s, double span)
{
    const RgForm *form = glide->scope->form;
    stand_at(glide, s);
    return rg_link_travel(form->model, form->q, form->v, ball, unit_axis[0], span).acceleration;
}
