/*
 * walker.c - equations of motion of the passive walker on its stance foot, from the library's inverse dynamics.
 *
 * With s the four rates, v = B(q) s is the model's velocity when the stance foot, a disc of radius r, rolls without
 * slip:
 *
 *   w = yaw' e_z + lean' x' + stance' y''      x' = Rz e_x, y'' = Rz Rx e_y, z'' = Rz Rx e_z
 *   velocity of the centre = r w x z''         its lowest point is at centre - r z''
 *   B' M B s' = - B' ID(q, v, B' s)            ID: inverse dynamics, which is M a + b(q, v); B' s the acceleration at constant s
 *
 * (rolling forces do no work along B). Heelstrike: v+ = v- + M^-1 J' z, J v+ = 0 at the lowest point of the swing foot,
 * without impulse at the old foot.
 */
#include "walker.h"

#include "vectors.h"

#include <string.h>

static const RgVec3 ex = {1.0, 0.0, 0.0}, ey = {0.0, 1.0, 0.0}, ez = {0.0, 0.0, 1.0};

/* ------------------------------------------------------------------ model */

bool walker_create(Lab *lab, Walker *walker)
{
    *walker = (Walker){.model = lab_model_load(lab, "walker.sdf", NULL)};
    if (walker->model == NULL)
        return false;
    RgModelInfo info = rg_model_info(walker->model);
    walker->left = rg_model_find_link(walker->model, "left_leg");
    walker->right = rg_model_find_link(walker->model, "right_leg");
    walker->dynamics = rg_dynamics_create(walker->model, NULL);
    if (info.nq != WALKER_NQ || info.nv != WALKER_NV || walker->left.i == 0 || walker->right.i == 0 ||
        walker->dynamics == NULL || rg_model_link(walker->model, walker->left).q_index != 0) {
        lab_fail(lab, "walker.sdf: expected a floating left leg, and a right leg hinged to it");
        walker_destroy(walker);
        return false;
    }
    rg_dynamics_set_gravity(walker->dynamics, rg_model_hints(walker->model)->gravity);
    return true;
}

void walker_destroy(Walker *walker)
{
    rg_dynamics_destroy(walker->dynamics);
    rg_model_destroy(walker->model);
}

WalkerState walker_fixed_point(void)
{
    return (WalkerState){.angle = {0.098667659867400, -0.009248610676160, -0.160165834955220, 3.435833890385830},
                         .rate = {-0.132209655103550, -0.019909619877940, 0.471242374669770, -0.392559168664830}};
}

double walker_distance(const WalkerState *a, const WalkerState *b)
{
    double worst = 0.0;
    for (int i = 0; i < WALKER_ANGLES; i++)
        worst = fmax(worst, fmax(fabs(a->angle[i] - b->angle[i]), fabs(a->rate[i] - b->rate[i])));
    return worst;
}

/* ------------------------------------------------------------------ rolling */

/* The directions in which the angles turn, and how they turn with them. */
typedef struct Turning {
    RgMat3 R;       /* of the stance leg */
    RgVec3 axis[3]; /* e_z, x', y'' */
    RgVec3 up;      /* z'': from the lowest point of a foot to its centre */
    RgVec3 w;       /* of the stance leg */
    RgVec3 w_bend;  /* its derivative at constant rates */
    RgVec3 up_rate; /* of z'' */
} Turning;

static Turning turning(const WalkerState *s)
{
    RgMat3 Z = mat_turn(ez, s->angle[YAW]), ZX = mat_mul(Z, mat_turn(ex, s->angle[LEAN]));
    Turning t = {.R = mat_mul(ZX, mat_turn(ey, s->angle[STANCE])),
                 .axis = {ez, mat_apply(Z, ex), mat_apply(ZX, ey)},
                 .up = mat_apply(ZX, ez)};
    RgVec3 by_yaw = vec_scale(s->rate[YAW], ez);
    RgVec3 by_both = vec_add(by_yaw, vec_scale(s->rate[LEAN], t.axis[LEAN]));
    t.w = vec_add(by_both, vec_scale(s->rate[STANCE], t.axis[STANCE]));
    t.w_bend = vec_add(vec_scale(s->rate[LEAN], vec_cross(by_yaw, t.axis[LEAN])),
                       vec_scale(s->rate[STANCE], vec_cross(by_both, t.axis[STANCE])));
    t.up_rate = vec_cross(by_both, t.up);
    return t;
}

/* The model's velocity or acceleration of a stance leg that turns with w (child axes in v) and whose centre moves with
   c. */
static void pack(const Turning *t, RgVec3 w, RgVec3 c, double hip, double out[WALKER_NV])
{
    RgVec3 own = mat_apply(mat_transpose(t->R), w);
    const double all[WALKER_NV] = {own.x, own.y, own.z, c.x, c.y, c.z, hip};
    memcpy(out, all, sizeof all);
}

static void positions(const WalkerState *s, const Turning *t, double q[WALKER_NQ])
{
    RgPose X = {t->R, {s->x, s->y, WALKER_RADIUS * t->up.z}};
    RgQuat turn = rg_pose_quat(&X);
    const double all[WALKER_NQ] = {turn.w, turn.x, turn.y, turn.z, X.p.x, X.p.y, X.p.z, s->angle[SWING] - TEST_PI};
    memcpy(q, all, sizeof all);
}

static RgVec3 centre_velocity(const Turning *t)
{
    return vec_scale(WALKER_RADIUS, vec_cross(t->w, t->up));
}

void walker_coordinates(const WalkerState *s, double q[WALKER_NQ], double v[WALKER_NV])
{
    Turning t = turning(s);
    positions(s, &t, q);
    pack(&t, t.w, centre_velocity(&t), s->rate[SWING], v);
}

/* Columns of B: the velocity that each rate alone makes. */
static void rolling_velocities(const Turning *t, double B[WALKER_ANGLES][WALKER_NV])
{
    for (int i = 0; i < SWING; i++)
        pack(t, t->axis[i], vec_scale(WALKER_RADIUS, vec_cross(t->axis[i], t->up)), 0.0, B[i]);
    pack(t, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 0.0), 1.0, B[SWING]);
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* x = A^-1 x of a small positive definite A (n x n in rows of `stride`), which is overwritten by its Cholesky
   factor. */
static void solve_small(double *A, int n, int stride, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = A[i * stride + j] - dot(A + i * stride, A + j * stride, j);
            A[i * stride + j] = i == j ? sqrt(sum) : sum / A[j * stride + j];
        }
        x[i] = (x[i] - dot(A + i * stride, x, i)) / A[i * stride + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= A[k * stride + i] * x[k];
        x[i] /= A[i * stride + i];
    }
}

void walker_rate(const Walker *walker, const WalkerState *s, WalkerState *rate)
{
    Turning t = turning(s);
    double q[WALKER_NQ], v[WALKER_NV], bend[WALKER_NV], tau[WALKER_NV];
    double B[WALKER_ANGLES][WALKER_NV], M[WALKER_NV][WALKER_NV], H[WALKER_ANGLES][WALKER_ANGLES];
    RgVec3 c = centre_velocity(&t);
    positions(s, &t, q);
    pack(&t, t.w, c, s->rate[SWING], v);
    RgVec3 c_bend = vec_scale(WALKER_RADIUS, vec_add(vec_cross(t.w_bend, t.up), vec_cross(t.w, t.up_rate)));
    pack(&t, t.w_bend, c_bend, 0.0, bend);
    rolling_velocities(&t, B);

    rg_inverse_dynamics(walker->dynamics, q, v, bend, NULL, tau);
    rg_mass_matrix(walker->dynamics, q, &M[0][0]);
    for (int i = 0; i < WALKER_ANGLES; i++) {
        double MB[WALKER_NV];
        for (int k = 0; k < WALKER_NV; k++)
            MB[k] = dot(M[k], B[i], WALKER_NV);
        for (int j = 0; j < WALKER_ANGLES; j++)
            H[i][j] = dot(B[j], MB, WALKER_NV);
        rate->rate[i] = -dot(B[i], tau, WALKER_NV);
        rate->angle[i] = s->rate[i];
    }
    solve_small(&H[0][0], WALKER_ANGLES, WALKER_ANGLES, rate->rate);
    rate->x = c.x;
    rate->y = c.y;
}

WalkerEnergy walker_energy(const Walker *walker, const WalkerState *s)
{
    double q[WALKER_NQ], v[WALKER_NV];
    RgMomentum m;
    walker_coordinates(s, q, v);
    if (rg_momentum(walker->dynamics, q, v, &m) != RG_OK)
        return (WalkerEnergy){NAN, NAN, NAN};
    return (WalkerEnergy){m.kinetic, m.potential, m.kinetic + m.potential};
}

/* ------------------------------------------------------------------ the swing foot */

double walker_clearance(const Walker *walker, const WalkerState *s)
{
    Turning t = turning(s);
    double q[WALKER_NQ];
    positions(s, &t, q);
    if (rg_forward_kinematics(walker->dynamics, q, NULL) != RG_OK)
        return (double)NAN;
    return rg_link_pose(walker->dynamics, walker->right).p.z - WALKER_RADIUS * t.up.z;
}

/* Rows of the velocity of the swing foot's lowest point, world axes. */
static void contact_rows(const Walker *walker, const double *q, RgVec3 up, double J[3][WALKER_NV],
                         double all[6][WALKER_NV])
{
    RgVec3 arm = vec_scale(-WALKER_RADIUS, up);
    rg_link_jacobian(walker->dynamics, q, walker->right, &all[0][0]);
    for (int k = 0; k < WALKER_NV; k++) {
        RgVec3 v = vec_cross(vec(all[0][k], all[1][k], all[2][k]), arm);
        J[0][k] = all[3][k] + v.x;
        J[1][k] = all[4][k] + v.y;
        J[2][k] = all[5][k] + v.z;
    }
}

/* v+ of the impact. */
static void impact_solve(const Walker *walker, const double *q, double J[3][WALKER_NV], double v[WALKER_NV])
{
    double A[3][3], z[3], MJ[3][WALKER_NV];
    rg_mass_factor(walker->dynamics, q);
    for (int i = 0; i < 3; i++) {
        memcpy(MJ[i], J[i], sizeof MJ[i]);
        rg_mass_solve(walker->dynamics, MJ[i]);
        z[i] = -dot(J[i], v, WALKER_NV);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = dot(MJ[i], J[j], WALKER_NV);
    }
    solve_small(&A[0][0], 3, 3, z);
    for (int k = 0; k < WALKER_NV; k++)
        for (int i = 0; i < 3; i++)
            v[k] += MJ[i][k] * z[i];
}

WalkerState walker_heelstrike(const Walker *walker, const WalkerState *before)
{
    Turning t = turning(before);
    double q[WALKER_NQ], v[WALKER_NV], J[3][WALKER_NV], all[6][WALKER_NV];
    walker_coordinates(before, q, v);
    contact_rows(walker, q, t.up, J, all);
    impact_solve(walker, q, J, v);

    /* Rates of the new stance leg: its w in the skew axes e_z, x', y''. x' is across both others. */
    RgVec3 w = vec(dot(all[0], v, WALKER_NV), dot(all[1], v, WALKER_NV), dot(all[2], v, WALKER_NV));
    double lean = vec_dot(w, t.axis[LEAN]);
    double tilt = vec_dot(t.axis[YAW], t.axis[STANCE]);
    double along_z = vec_dot(w, t.axis[YAW]), along_y = vec_dot(w, t.axis[STANCE]);
    double yaw = (along_z - tilt * along_y) / (1.0 - tilt * tilt);
    rg_forward_kinematics(walker->dynamics, q, NULL);
    RgVec3 foot = rg_link_pose(walker->dynamics, walker->right).p;
    const double *a = before->angle;
    return (WalkerState){.angle = {-a[YAW], -a[LEAN], a[STANCE] + a[SWING] - TEST_PI, 2.0 * TEST_PI - a[SWING]},
                         .rate = {-yaw, -lean, (along_y - tilt * along_z) / (1.0 - tilt * tilt), -v[WALKER_NV - 1]},
                         .x = foot.x,
                         .y = -foot.y};
}
