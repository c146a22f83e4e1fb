/*
 * view_drag.c - a body pulled by a critically damped spring.
 *
 * A spring k = M w^2 and a damper c = 2 M w act between the grabbed point x and the target y, with M the mass of the
 * link's articulation and w = RG_DRAG_RATE: a free body of mass M follows in about 4 / w seconds without oscillation.
 * A robot thus follows whichever of its links is held.
 *
 * The force is constant over a step of length h; an explicit one could be unstable for a light link at the end of a
 * long arm. It is therefore the force at the end of the step of a point mass m (backward Euler),
 *
 *   f = (k (y - x - h v) - c v) / (1 + (c h + k h^2) / m),
 *
 * with m the least effective mass of the body alone at the point, over all directions,
 *
 *   1/m = largest eigenvalue of  1/m_body 1 + R' I^-1 R,   R u = r x u,
 *
 * r from the body's centre of mass to the point, I its moments of inertia about that centre. Bodies attached by joints
 * only add to the effective mass (they add kinetic energy for a given motion of the body), so the force is stable for
 * any step and robot. At rest the spring is softer by the same factor, which is near 1 unless the step is long or the
 * body is very light.
 *
 * Cost: a pass over the links at the start, then one wrench per step.
 */
#include "view/view_drag.h"

#include "model/sym3.h"

#include <math.h>

#define RG_DRAG_RATE 12.0 /* rad/s: follows the mouse in 0.3 s, and is soft enough to show resistance */

static RgVec3 add(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static RgVec3 scale(double s, RgVec3 a)
{
    return (RgVec3){s * a.x, s * a.y, s * a.z};
}

static RgVec3 cross(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(RgVec3 a, RgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* I + m (|r|^2 1 - r r'): moments of inertia about a point at r. */
static RgSym3 shift(RgSym3 I, double m, RgVec3 r)
{
    double rr = dot(r, r);
    return (RgSym3){I.xx + m * (rr - r.x * r.x), I.yy + m * (rr - r.y * r.y), I.zz + m * (rr - r.z * r.z),
                    I.xy - m * r.x * r.y,        I.xz - m * r.x * r.z,        I.yz - m * r.y * r.z};
}

/* The root of the link's articulation. */
static RgLinkId root_of(const RgModel *model, RgLinkId link)
{
    RgLinkInfo info = rg_model_link(model, link);
    while (info.parent.i && rg_model_link(model, info.parent).body >= 0) {
        link = info.parent;
        info = rg_model_link(model, link);
    }
    return link;
}

/* Mass, centre and inertia of the links welded to one body, in world axes. */
static RgInertia body_inertia(RgWorld *world, int body)
{
    const RgModel *model = rg_world_model(world);
    int links = rg_model_info(model).links;
    RgInertia all = {.mass = 0.0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 1; i <= links; i++) {
            RgLinkInfo info = rg_model_link(model, (RgLinkId){i});
            if (info.body != body)
                continue;
            RgPose X = rg_world_link_pose(world, (RgLinkId){i});
            RgVec3 com = rg_pose_apply(&X, info.inertia.com);

            /* First pass: mass and centre; second: moments about the centre. */
            if (pass == 0) {
                all.mass += info.inertia.mass;
                all.com = add(all.com, scale(info.inertia.mass, com));
            } else {
                RgSym3 I =
                    shift(rg_sym3_rotate(X.R, info.inertia.I), info.inertia.mass, add(com, scale(-1.0, all.com)));
                all.I = (RgSym3){all.I.xx + I.xx, all.I.yy + I.yy, all.I.zz + I.zz,
                                 all.I.xy + I.xy, all.I.xz + I.xz, all.I.yz + I.yz};
            }
        }
        if (pass == 0 && all.mass > 0.0)
            all.com = scale(1.0 / all.mass, all.com);
    }
    return all;
}

/* I^-1 a by Cramer's rule. */
static RgVec3 solve(RgSym3 I, RgVec3 a)
{
    RgVec3 x = {I.xx, I.xy, I.xz}, y = {I.xy, I.yy, I.yz}, z = {I.xz, I.yz, I.zz};
    RgVec3 yz = cross(y, z), zx = cross(z, x), xy = cross(x, y);
    return scale(1.0 / dot(x, yz), add(add(scale(a.x, yz), scale(a.y, zx)), scale(a.z, xy)));
}

/* Least effective mass of a body at the point, kg. */
static double least_mass(const RgInertia *body, RgVec3 point)
{
    static const RgVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const RgSym3 one = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    RgVec3 r = add(point, scale(-1.0, body->com)), turned[3], answer[3], u;
    double w = 1.0 / body->mass, inverse;
    for (int i = 0; i < 3; i++) {
        turned[i] = cross(r, axes[i]);
        answer[i] = solve(body->I, turned[i]);
    }
    RgSym3 W = {w + dot(turned[0], answer[0]), w + dot(turned[1], answer[1]), w + dot(turned[2], answer[2]),
                dot(turned[0], answer[1]),     dot(turned[0], answer[2]),     dot(turned[1], answer[2])};

    /* Without moments of inertia a body's effective mass is its mass. */
    bool good = isfinite(W.xx + W.yy + W.zz + W.xy + W.xz + W.yz) && rg_sym3_ratio(W, one, &inverse, &u);
    return good && inverse >= w ? 1.0 / inverse : body->mass;
}

bool rg_drag_begin(RgDrag *drag, RgWorld *world, RgLinkId link, RgVec3 point, RgVec3 target)
{
    const RgModel *model = rg_world_model(world);
    int body = rg_model_link(model, link).body, links = rg_model_info(model).links;
    if (body < 0)
        return false;
    bool same = drag->link.i == link.i;
    if (drag->link.i && !same)
        rg_drag_release(drag, world);

    /* For the same link and point only the target changes. */
    bool moved = !same || point.x != drag->point.x || point.y != drag->point.y || point.z != drag->point.z;
    drag->link = link;
    drag->point = point;
    drag->target = target;
    if (!moved)
        return true;
    RgLinkId root = root_of(model, link);
    drag->pulled = 0.0;
    for (int32_t i = 1; i <= links; i++) {
        RgLinkInfo info = rg_model_link(model, (RgLinkId){i});
        if (info.body >= 0 && root_of(model, (RgLinkId){i}).i == root.i)
            drag->pulled += info.inertia.mass;
    }
    RgPose X = rg_world_link_pose(world, link);
    RgInertia inertia = body_inertia(world, body);
    drag->felt = inertia.mass > 0.0 ? least_mass(&inertia, rg_pose_apply(&X, point)) : drag->pulled;
    return true;
}

RgStatus rg_drag_pull(const RgDrag *drag, RgWorld *world, double h)
{
    if (!drag->link.i || !(drag->felt > 0.0))
        return RG_OK;
    RgPose X = rg_world_link_pose(world, drag->link);
    RgMotion V = rg_world_link_twist(world, drag->link);
    RgVec3 x = rg_pose_apply(&X, drag->point), arm = add(x, scale(-1.0, X.p)), v = add(V.v, cross(V.w, arm));
    double k = drag->pulled * RG_DRAG_RATE * RG_DRAG_RATE, c = 2.0 * drag->pulled * RG_DRAG_RATE;
    double softer = 1.0 / (1.0 + (c * h + k * h * h) / drag->felt);
    RgVec3 way = add(drag->target, scale(-1.0, add(x, scale(h, v))));
    RgVec3 f = scale(softer, add(scale(k, way), scale(-c, v)));
    return rg_world_set_link_wrench(world, drag->link, (RgForce){.n = cross(arm, f), .f = f});
}

void rg_drag_release(RgDrag *drag, RgWorld *world)
{
    if (drag->link.i)
        rg_world_set_link_wrench(world, drag->link, (RgForce){.n = {0.0, 0.0, 0.0}});
    drag->link.i = 0;
}
