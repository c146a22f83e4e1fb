/*
 * link_motion.c - motion bounds of links of a tree at constant joint rates.
 *
 * A point x of link i depends on the joints j = 1 ... i of its path to the world. Each rotates the links beyond it with
 * speed w_j about its origin O_j, and translates them with speed u_j (one of the two may be zero):
 *   |dx/dt| <= sum_j  u_j + w_j |x - O_j|
 *   |x - O_j| <= gamma_j(t) = r + sum_{k = j+1}^{i} (l_k + u_k t)
 * with l_k the present distance of the origins O_{k-1}, O_k, and r the distance of the farthest point of the ball from
 * O_i. The joint next to the world has its axis fixed in the world, so only its part along d counts:
 *   path = integral over time of  |d . u_1| + |d x w_1| gamma_1(t) + sum_{j > 1} (u_j + w_j gamma_j(t))
 * This is eqs. 11-14 of Drumwright, "True rigidity" (2016), with three differences. The unit of time is the horizon. A
 * slide grows within the horizon, so its integral is u t^2/2, not u t^2. And the lever r reaches from the joint to the
 * farthest point of the ball instead of over twice its radius.
 *
 * The path adds motions that may cancel. For a short horizon the arc is tighter:
 *   arc = h max_x |d . dx/dt (0)| + h^2/2 max |d2x/dt2|
 * with a recursion from one frame to the next toward the world: a' is the acceleration seen in the next frame, a and s
 * are acceleration and speed seen in this one,
 *   a' = a + 2 w_j s + (w_j^2 + alpha_j) gamma_j
 * alpha_j is the rate of the angular velocity, seen in the moved frame: nonzero for a universal joint only.
 *
 * Assumed of a joint kind: at constant rates its origin moves on a straight line in the frame F before it, with
 * constant speed; w_j and alpha_j are constant; and if alpha_j = 0 the axis is fixed in F.
 *
 * Both bounds hold for every point of the ball. Cost: one pass from the link to the world, no memory.
 */
#include "contact/link_motion.h"

#include "math/spatial.h"

/* The results are increased by this part of themselves, which is more than their round-off. */
#define ROUND_OFF 1e-12

/* The ball as seen from a frame on the path to the world. */
typedef struct Seen {
    RgVec3 centre, velocity, w; /* at present: of the centre; angular velocity of the link */
    double reach, reach_rate;   /* |x| <= reach + t reach_rate */
    double speed, speed_rate;   /* |dx/dt| <= speed + t speed_rate, of the path */
    double acceleration;        /* |d2x/dt2| <= acceleration within the horizon */
} Seen;

/* Motion of a joint's child at constant rates. All in the frame F before it. */
typedef struct JointRates {
    RgPose X_FB;
    RgVec3 w, slide;
    double alpha;
} JointRates;

static JointRates joint_rates(const RgBody *body, const double *q, const double *v)
{
    JointRates j;
    RgMotion S[6], V = mv_zero();
    body->kind->motion(&body->geometry, q + body->q0, &j.X_FB, S);
    for (int i = 0; i < body->nv; i++)
        V = mv_axpy(v[body->v0 + i], S[i], V);
    j.w = m3_apply(j.X_FB.R, V.w);
    j.slide = m3_apply(j.X_FB.R, V.v);
    j.alpha = 0.0;
    if (body->kind->bias != NULL)
        j.alpha = v3_norm(body->kind->bias(&body->geometry, q + body->q0, v + body->v0).w);
    return j;
}

/* Converts bounds from the body's frame B, moved by its joint, to the parent's frame P. d not NULL: P is the world. */
static void pass_joint(const RgBody *body, const JointRates *j, const RgVec3 *d, double horizon, Seen *seen)
{
    RgPose X_PB = pose_mul(body->X_PF, j->X_FB);
    RgVec3 w = m3_apply(body->X_PF.R, j->w), slide = m3_apply(body->X_PF.R, j->slide);
    double turn = v3_norm(w), u = v3_norm(slide);

    double reach = seen->reach + seen->reach_rate * horizon;
    double speed = seen->speed + seen->speed_rate * horizon;
    seen->acceleration += 2.0 * turn * speed + (turn * turn + j->alpha) * reach;

    double turn_d = d != NULL && j->alpha == 0.0 ? v3_norm(v3_cross(*d, w)) : turn;
    double u_d = d != NULL ? fabs(v3_dot(*d, slide)) : u;
    seen->speed += u_d + turn_d * seen->reach;
    seen->speed_rate += turn_d * seen->reach_rate;
    seen->reach += v3_norm(X_PB.p);
    seen->reach_rate += u;

    RgVec3 arm = m3_apply(X_PB.R, seen->centre);
    seen->velocity = v3_add(m3_apply(X_PB.R, seen->velocity), v3_add(v3_cross(w, arm), slide));
    seen->w = v3_add(m3_apply(X_PB.R, seen->w), w);
    seen->centre = v3_add(arm, X_PB.p);
}

static double or_infinite(double x)
{
    return isfinite(x) ? (1.0 + ROUND_OFF) * x : (double)INFINITY;
}

RgLinkTravel rg_link_travel(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball, RgVec3 d,
                            double horizon)
{
    int i = ball->link.i > 0 ? ball->link.i - 1 : -1;
    if (i < 0 || model->links[i].body < 0)
        return (RgLinkTravel){0.0, 0.0, 0.0};

    Seen seen = {.centre = pose_apply(model->links[i].X_BL, ball->centre)};
    seen.reach = v3_norm(seen.centre) + ball->radius;
    for (int b = model->links[i].body; b >= 0; b = model->bodies[b].parent) {
        const RgBody *body = &model->bodies[b];
        JointRates j = joint_rates(body, q, v);
        pass_joint(body, &j, body->parent < 0 ? &d : NULL, horizon, &seen);
    }
    double half = 0.5 * horizon * horizon;
    double now = fabs(v3_dot(d, seen.velocity)) + ball->radius * v3_norm(v3_cross(seen.w, d));
    return (RgLinkTravel){or_infinite(horizon * seen.speed + half * seen.speed_rate),
                          or_infinite(horizon * now + half * seen.acceleration), or_infinite(seen.acceleration)};
}

double rg_link_motion_bound(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball, RgVec3 d,
                            double horizon)
{
    RgLinkTravel travel = rg_link_travel(model, q, v, ball, d, horizon);
    return fmin(travel.path, travel.arc);
}
