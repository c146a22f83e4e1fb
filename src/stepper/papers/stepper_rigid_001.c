/*
 * stepper_rigid_001.c - no overlap by the bounds and the step rule of "True rigidity" (Drumwright 2016, algorithm 1),
 * made safe: for comparison with what that paper published.
 *
 *   h  = min(r(x0, u0), rest of the step),   x1 = x0 + h u0,   u1 = k(u0 + h a(x1, u0))
 *
 * r is the minimum over all pairs and joint limits, computed once per inner step; eps = gap.
 *
 *   apart        d > eps: (d - eps/2) / (|n.(v_A - v_B)| + |n x w_A| r_A + |n x w_B| r_B)                          (4)
 *                links of trees: while the path of any of their points is shorter                            (11-14)
 *   touching     heights of vertices over the plane between the two, normal n; vertices within eps are in contact.
 *     transient  some vertex in contact leaves faster than REST: time until the first one is at eps,
 *                (eps - height) / speed
 *     sustained  the smaller of dt* and dt+:
 *                dt* = minimum over all other vertices s of                                                 (7, 8, 15)
 *                      (height - eps/2) / ((|w_A x n| + |w_B x n|) |s - xi|)
 *                xi: the vertex in contact of the same body that is farthest from s; for a link of a tree the sum of
 *                the angular velocities of all joints between it and the world replaces |w x n|
 *                dt+ (section 3.2): the speeds of vertices in contact are evaluated along the motion, at the middle and
 *                at the end of the step; if any is not near zero the step is halved
 *
 * Near zero in dt+: a speed that moves the vertex by at most eps/4 in the step.
 *
 * Differences to the archived code, for safety: dt* is used in the transient case too; every step is limited to the
 * time for which a plane between the two is proven (separating_plane.c), which accounts for the drift of vertices in
 * contact; the remaining height is half of eps; gaps are corrected by projection; angular velocities are not scaled
 * down. For contacts of round shapes, and without vertices near the plane (crossing edges), only the proven plane
 * counts.
 *
 * Guarantees as in stepper_advance.c. Steps become very short where contacts drift, as in the published method.
 */
#include "stepper/papers/inner_steps.h"
#include "stepper/stepper_table.h"

/* m/s: vertices that leave slower count as resting. About the square root of the machine epsilon. */
#define REST 1.5e-8
/* Limit of the halvings for dt+. */
#define HALVINGS 60

/* ------------------------------------------------------------------ touching pairs */

/* Two touching pieces and the plane between them, at the start of the step. Heights of the second piece's vertices are
   above it, those of the first below it. */
typedef struct Touch {
    RgUniformMotion *motion;
    const RgMovingPiece *pieces;
    RgPolytopeView hull[2];
    RgPieceAt at[2];
    RgVec3 n, o; /* normal from the first to the second; a point on the plane */
    double eps;
    double turning; /* |w_A x n| + |w_B x n| */
} Touch;

/* rad/s: sum of the angular velocities of all joints between a link and the world. */
static double chain_turning(const RgUniformMotion *motion, int body)
{
    const RgForm *form = motion->scope->form;
    double sum = 0.0;
    for (int b = body; b >= 0 && b < form->model->nbodies; b = form->model->bodies[b].parent) {
        int parent = form->model->bodies[b].parent;
        RgVec3 w = form->kin->V[b].w, before = parent >= 0 ? form->kin->V[parent].w : v3_zero();
        sum += v3_norm(v3_sub(w, before));
    }
    return sum;
}

static double side_turning(const Touch *t, int side)
{
    if (!rg_uniform_straight(t->motion, &t->pieces[side]))
        return chain_turning(t->motion, t->pieces[side].body);
    return v3_norm(v3_cross(t->at[side].V.w, t->n));
}

static RgVec3 vertex(const Touch *t, const RgPieceAt *at, int side, int i)
{
    return pose_apply(at->X_WS, t->hull[side].vertices[i]);
}

/* m: distance of a vertex from the plane, positive on its own side. */
static double height(const Touch *t, int side, int i)
{
    double over = v3_dot(t->n, v3_sub(vertex(t, &t->at[side], side, i), t->o));
    return side == 1 ? over : -over;
}

static RgVec3 velocity_at(const RgPieceAt *at, RgVec3 x)
{
    return v3_add(at->V.v, v3_cross(at->V.w, v3_sub(x, at->origin)));
}

/* m/s: speed at which the two separate at x. */
static double separation_speed(const RgPieceAt at[2], RgVec3 n, RgVec3 x)
{
    return v3_dot(n, v3_sub(velocity_at(&at[1], x), velocity_at(&at[0], x)));
}

/* m: largest distance of s from a vertex of the same side in contact; 0: there is none. */
static double farthest_contact(const Touch *t, int side, RgVec3 s)
{
    double most2 = 0.0;
    for (int i = 0; i < t->hull[side].nvertices; i++)
        if (height(t, side, i) <= t->eps)
            most2 = fmax(most2, v3_norm2(v3_sub(vertex(t, &t->at[side], side, i), s)));
    return sqrt(most2);
}

/* s: dt*, eqs. 7, 8, 15. */
static double dt_star(const Touch *t, double span)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < t->hull[side].nvertices; i++) {
            double up = height(t, side, i);
            if (up <= t->eps)
                continue;
            double arm = farthest_contact(t, side, vertex(t, &t->at[side], side, i));
            double speed = t->turning * arm, room = up - 0.5 * t->eps;
            if (speed * span > room)
                span = room / speed;
        }
    return span;
}

/* s: time until the first leaving vertex in contact is at eps; infinite: none leaves. */
static double time_of_leaving(const Touch *t)
{
    double time = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < t->hull[side].nvertices; i++) {
            double up = height(t, side, i);
            double speed = separation_speed(t->at, t->n, vertex(t, &t->at[side], side, i));
            if (up <= t->eps && speed > REST)
                time = fmin(time, (t->eps - up) / speed);
        }
    return time;
}

/* m/s: largest speed of a vertex in contact along the normal at time s; the normal turns with the piece that turns
   slower. */
static double contact_speed(const Touch *t, double s)
{
    RgPieceAt later[2] = {rg_uniform_at(t->motion, &t->pieces[0], s), rg_uniform_at(t->motion, &t->pieces[1], s)};
    bool by_first = v3_norm2(t->at[0].V.w) <= v3_norm2(t->at[1].V.w);
    const RgPieceAt *carrier = by_first ? &later[0] : &later[1], *was = by_first ? &t->at[0] : &t->at[1];
    RgVec3 n = m3_apply(carrier->X_WS.R, m3_apply_t(was->X_WS.R, t->n));
    double most = 0.0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < t->hull[side].nvertices; i++)
            if (height(t, side, i) <= t->eps)
                most = fmax(most, fabs(separation_speed(later, n, vertex(t, &later[side], side, i))));
    return most;
}

/* s: dt+, section 3.2. */
static double dt_plus(const Touch *t, double span)
{
    for (int k = 0; k < HALVINGS && span > 0.0; k++) {
        double most = fmax(contact_speed(t, 0.5 * span), contact_speed(t, span));
        if (most * span <= 0.25 * t->eps)
            return span;
        span *= 0.5;
    }
    return span;
}

static bool has_contact_vertex(const Touch *t)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < t->hull[side].nvertices; i++)
            if (height(t, side, i) <= t->eps)
                return true;
    return false;
}

static RgPolytopeView hull_of(const RgGeometry *geometry)
{
    return geometry->nparts == 1 ? rg_geometry_polytope(geometry, 0) : (RgPolytopeView){.nvertices = 0};
}

static double touch_rule(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near, double span,
                         RgCut *cut)
{
    Touch t = {.motion = motion,
               .pieces = pieces,
               .hull = {hull_of(pieces[0].geometry), hull_of(pieces[1].geometry)},
               .n = near->normal,
               .o = v3_scale(0.5, v3_add(near->point_a, near->point_b)),
               .eps = motion->scope->adapt.gap};
    for (int side = 0; side < 2; side++) {
        bool polyhedral = t.hull[side].nvertices > 0 || pieces[side].geometry->type == RG_SHAPE_halfspace;
        if (!polyhedral)
            return span;
        t.at[side] = rg_uniform_at(motion, &pieces[side], 0.0);
    }
    if (!has_contact_vertex(&t))
        return span;
    t.turning = side_turning(&t, 0) + side_turning(&t, 1);
    double fresh = dt_star(&t, span), leaving = time_of_leaving(&t);
    if (isfinite(leaving))
        return fmin(leaving, fresh);
    double staying = dt_plus(&t, fresh);
    *cut = staying < fresh ? RG_CUT_height : RG_CUT_manifold;
    return staying;
}

/* ------------------------------------------------------------------ steps */

static RgStatus inner_step(RgStepScope *c, double left, double *h)
{
    RgInnerSteps *s = c->stepper_data;
    RgAdvance safe;
    double horizon = fmin(left, c->adapt.h_max);
    RgAdvanceAsk ask = {.x = s->now->x,
                        .u = s->now->u,
                        .horizon = horizon,
                        .once = true,
                        .absolute = true,
                        .plain = true,
                        .rule = touch_rule};
    RgStatus status = rg_advancement_find(&s->advancement, &ask, &safe);
    if (status != RG_OK)
        return status;
    RgInnerStep step = rg_inner_step_of(c, &safe, horizon);

    /* The bound is not the exact time of a contact: two equal steps to the end instead of a long and a very short
       one. */
    if (step.cut != RG_CUT_least && safe.time < left && left < 2.0 * safe.time)
        step.h = 0.5 * left;
    *h = step.h;
    return rg_inner_step_run(s, &step);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    return rg_inner_steps_advance(c, inner_step, s0, h, s1);
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    RgStatus status = rg_located_keeps_joints(s, error);
    return status == RG_OK ? rg_inner_steps_check(s, error) : status;
}

const RgStepper rg_stepper_rigid_001 = {.name = "rigid-001",
                                        .summary = "bounds and step rule of paper 001, made safe: for comparison",
                                        RG_INNER_STEPPER(rg_inner_steps_prepare, check, rg_inner_steps_release)};
