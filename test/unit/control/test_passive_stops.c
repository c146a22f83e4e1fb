/*
 * test_passive_stops.c - joints of nobody at their limits, as computed torque takes them: against all
 * guesses of what the limits do, closed forms of a cart with a finger, and the motion of the world.
 *
 *   cart (M, controlled) and finger (m, effort p):   free   tau = M a + p
 *                                                    held   tau = (M + m) a + m a_f,  f = m (a + a_f) - p
 */
#include "check_near.h"
#include "controls.h"
#include "draw.h"
#include "scene_parts.h"
#include "worlds.h"

#include <string.h>

#define MOST_JOINTS 8
#define CART 2.0
#define FINGER 0.5

/* m or rad; steps: as in constraint/bounded_rows.c and row_limit.c. */
#define NEAR 1e-4
#define SHARE 0.02 /* of an error at a limit that a step removes: RgContactLaw.contact_erp */
#define REACH 0.05
#define STEPS_AHEAD 2.0

static const char *const names[MOST_JOINTS] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7"};

/* tolerance, m/s: of the velocity that is wanted; seen: 1.4e-6, 7e-11, 2e-11, 1e-15. foreseen, m/s: to which the step
   that the maximal form's efforts are found from is solved, where that is seen in them. */
typedef struct SolverCase {
    const char *name;
    double tolerance, foreseen;
} SolverCase;
static const SolverCase solver_cases[] = {
    {"quick", 1e-5, 0.0}, {"cone", 1e-9, 1e-10}, {"dantzig", 1e-9, 0.0}, {"lemke", 1e-12, 0.0}};
enum { NSOLVERS = sizeof solver_cases / sizeof *solver_cases };

/* A cart and fingers behind it, each on the one before, all along x within +-limit. */
static RgModel *train(int fingers, double limit)
{
    RgBuilder *b = scene_begin("train");
    RgLinkId last = {0};
    for (int i = 0; i <= fingers; i++) {
        RgLinkId link = link_add(b, names[i], inertia_box(i == 0 ? CART : FINGER, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
        RgJointDef joint = joint_at(RG_JOINT_prismatic, names[i], last, link, vec(0, 0, 0.2), vec(1, 0, 0));
        if (i > 0) {
            joint.dof[0].lower = -limit;
            joint.dof[0].upper = limit;
        }
        joint_add(b, &joint);
        last = link;
    }
    return scene_end(b);
}

/* Hinges about any axes, full inertias, limits of +-0.3 rad on all but the first. */
static RgModel *hinges(Draw *draw, int n)
{
    RgBuilder *b = scene_begin("hinges");
    RgLinkId last = {0};
    for (int i = 0; i < n; i++) {
        RgLinkId link =
            link_add(b, names[i], inertia_rod(draw_between(draw, 0.05, 2.0), vec(0, 0, 0), draw_vec(draw, 0.5), 0.02));
        RgJointDef joint = joint_at(RG_JOINT_revolute, names[i], last, link, draw_vec(draw, 0.3), draw_direction(draw));
        if (i > 0) {
            joint.dof[0].lower = -0.3;
            joint.dof[0].upper = 0.3;
        }
        joint_add(b, &joint);
        last = link;
    }
    return scene_end(b);
}

typedef struct Stage {
    const RgModel *model;
    RgDynamics *dynamics;
    RgWorld *world;
    RgTrajectory *trajectory;
    RgControl *control;
    int n;
    double tau[MOST_JOINTS], limit;
    bool one_step; /* a sample is a step */
} Stage;

/* The first joint is controlled, v* = amplitude cos(5 t); the others have the efforts tau[1] and so on. */
static Stage stage_of(const RgModel *model, const RgWorldDef *def, const SolverCase *solver, double amplitude,
                      double rate)
{
    Stage s = {.model = model, .n = rg_model_info(model).nv, .one_step = rate == 0.0};
    RgWorldDef own = *def;
    own.solver = solver->name;
    s.world = world_make(&own);
    s.dynamics = rg_dynamics_create(model, NULL);
    rg_dynamics_set_gravity(s.dynamics, rg_world_settings(s.world).gravity);
    const double frequency = 5.0, reach = amplitude;
    RgTrajectoryDef wave = rg_trajectory_def_default();
    wave.kind = "sinusoid";
    wave.naxes = 1;
    wave.amplitude = &reach;
    wave.frequency = &frequency;
    s.trajectory = trajectory_make(&wave);
    ControlCase c;
    control_case(&c, s.world, "computed-torque", names, 1);
    c.controller.trajectory = s.trajectory;
    c.control.rate = rate;
    s.control = control_make(&c);
    double start[MOST_JOINTS] = {amplitude * frequency};
    rg_world_set_state(s.world, NULL, start);
    s.limit = rg_model_joint(model, rg_model_find_joint(model, "j1")).dof[0].upper;
    return s;
}

static void stage_push(Stage *s, int joint, double effort)
{
    s->tau[joint] = effort;
    rg_world_set_joint_effort(s->world, rg_model_find_joint(s->model, names[joint]), &effort);
}

static void stage_end(Stage *s)
{
    rg_control_destroy(s->control);
    rg_trajectory_destroy(s->trajectory);
    rg_dynamics_destroy(s->dynamics);
    rg_world_destroy(s->world);
}

static double wanted_velocity(const Stage *s, double t)
{
    RgReference wanted;
    rg_trajectory_at(s->trajectory, t, &wanted);
    return wanted.velocity;
}

/* ------------------------------------------------------------------ the twin: all guesses, one is right */

/* The least velocity that a gap may have: row_limit.c. */
static double least_velocity(const Stage *s, double g, double v, double h)
{
    if (s->one_step && g > REACH + STEPS_AHEAD * h * fabs(v))
        return -INFINITY;
    return g < 0.0 ? -SHARE * g / h : -(SHARE * fmin(g, NEAR) + fmax(g - NEAR, 0.0)) / h;
}

/* Gaussian elimination, n <= MOST_JOINTS; x: the right side, then the solution. */
static void eliminate(int n, double A[MOST_JOINTS][MOST_JOINTS], double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double factor = A[j][i] / A[i][i];
            for (int k = i; k < n; k++)
                A[j][k] -= factor * A[i][k];
            x[j] -= factor * x[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= A[i][k] * x[k];
        x[i] /= A[i][i];
    }
}

typedef struct Guess {
    double M[MOST_JOINTS * MOST_JOINTS], bias[MOST_JOINTS], v[MOST_JOINTS];
    double least[MOST_JOINTS], most[MOST_JOINTS];
    int side[MOST_JOINTS];
    double a[MOST_JOINTS], f[MOST_JOINTS]; /* f[0]: the controlled effort */
} Guess;

/* M a + bias = tau + f, where a is given on held joints and f is 0 on the others. */
static void solve_guess(const Stage *s, Guess *g, double a0, double h)
{
    double A[MOST_JOINTS][MOST_JOINTS], x[MOST_JOINTS];
    int list[MOST_JOINTS], count = 0;
    for (int i = 0; i < s->n; i++) {
        g->a[i] = i == 0 ? a0 : ((g->side[i] > 0 ? g->least[i] : g->most[i]) - g->v[i]) / h;
        if (i > 0 && g->side[i] == 0) {
            g->a[i] = 0.0;
            list[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        x[i] = s->tau[list[i]] - g->bias[list[i]];
        for (int k = 0; k < s->n; k++)
            x[i] -= g->M[list[i] * s->n + k] * g->a[k];
        for (int k = 0; k < count; k++)
            A[i][k] = g->M[list[i] * s->n + list[k]];
    }
    eliminate(count, A, x);
    for (int i = 0; i < count; i++)
        g->a[list[i]] = x[i];
    for (int i = 0; i < s->n; i++) {
        g->f[i] = g->bias[i] - s->tau[i];
        for (int k = 0; k < s->n; k++)
            g->f[i] += g->M[i * s->n + k] * g->a[k];
    }
}

/* How far a guess is from what limits do: none pulls, no joint passes, those out of reach do nothing. */
static double wrong_by(const Stage *s, const Guess *g, double h)
{
    double worst = 0.0;
    for (int i = 1; i < s->n; i++) {
        double next = g->v[i] + h * g->a[i];
        if (!isfinite(next))
            return INFINITY;
        worst = fmax(worst, g->side[i] != 0 ? -h * g->side[i] * g->f[i] : fmax(g->least[i] - next, next - g->most[i]));
    }
    return worst;
}

/* The best of all 3^(n - 1) guesses at the world's present state, for a hold h. */
static Guess twin(const Stage *s, double h)
{
    Guess g, best = {.a = {0.0}};
    double least_wrong = INFINITY, zero[MOST_JOINTS] = {0.0};
    const double *q = rg_world_q(s->world);
    memcpy(g.v, rg_world_v(s->world), (size_t)s->n * sizeof *g.v);
    rg_mass_matrix(s->dynamics, q, g.M);
    rg_inverse_dynamics(s->dynamics, q, g.v, zero, NULL, g.bias);
    int guesses = 1;
    for (int i = 1; i < s->n; i++) {
        guesses *= 3;
        g.least[i] = least_velocity(s, s->limit + q[i], g.v[i], h);
        g.most[i] = -least_velocity(s, s->limit - q[i], g.v[i], h);
    }
    double a0 = (wanted_velocity(s, rg_world_time(s->world) + h) - g.v[0]) / h;
    for (int number = 0; number < guesses; number++) {
        for (int i = 1, left = number; i < s->n; i++, left /= 3)
            g.side[i] = left % 3 - 1;
        solve_guess(s, &g, a0, h);
        double wrong = wrong_by(s, &g, h);
        if (wrong < least_wrong) {
            least_wrong = wrong;
            best = g;
        }
    }
    cr_assert_lt(least_wrong, 1e-10, "no guess is right: %g", least_wrong);
    return best;
}

/* One sample of one step against the twin: effort, then the velocity that comes of it. Which limits held. */
static Guess step_beside_twin(Stage *s, double h, const SolverCase *solver)
{
    Guess right = twin(s, h);
    cr_assert(rg_control_step(s->control, h, NULL) == RG_OK);
    double foreseen = solver->foreseen * (CART + FINGER) / h;
    CHECK_NEAR(rg_control_joint(s->control, 0).effort, right.f[0], 1e-9 * (1.0 + fabs(right.f[0])) + foreseen, "N");
    CHECK_NEAR(rg_world_v(s->world)[0], wanted_velocity(s, rg_world_time(s->world)), solver->tolerance, "m/s");
    cr_expect_eq(rg_control_tracking(s->control).failed, 0);
    return right;
}

/* ------------------------------------------------------------------ a cart with fingers */

/* Every solver in both forms. */
static void on_every_world(const RgModel *model, double amplitude, void (*test)(Stage *, const SolverCase *))
{
    for (int i = 0; i < 2 * NSOLVERS; i++) {
        const SolverCase *solver = &solver_cases[i / 2];
        RgWorldDef def = world_def(model, both_forms[i % 2], "semi-implicit");
        Stage s = stage_of(model, &def, solver, amplitude, 0.0);
        test(&s, solver);
        stage_end(&s);
    }
}

/* tau = (M + m) a: the finger is one body with the cart. */
static void pressed(Stage *s, const SolverCase *solver)
{
    const double q[2] = {0.0, -0.05};
    rg_world_set_state(s->world, q, NULL);
    stage_push(s, 1, -20.0);
    for (int i = 0; i < 100; i++) {
        double a = (wanted_velocity(s, 0.01 * (i + 1)) - rg_world_v(s->world)[0]) / 0.01;
        Guess right = step_beside_twin(s, 0.01, solver);
        CHECK_NEAR(right.f[0], (CART + FINGER) * a, 1e-7 * fabs(a) + 1e-6, "N");
        CHECK_NEAR(right.f[1], FINGER * a + 20.0, 1e-6, "N");
        CHECK_NEAR(rg_world_q(s->world)[1], -0.05, 1e-9, "m");
    }
}

Test(passive_stops, a_finger_that_is_pressed_to_its_limit)
{
    RgModel *model = train(1, 0.05);
    on_every_world(model, 0.3, pressed);
    rg_model_destroy(model);
}

/* tau = M a + p: limits that are far away do nothing. */
static void far_away(Stage *s, const SolverCase *solver)
{
    stage_push(s, 1, 0.7);
    for (int i = 0; i < 50; i++) {
        double a = (wanted_velocity(s, 0.01 * (i + 1)) - rg_world_v(s->world)[0]) / 0.01;
        Guess right = step_beside_twin(s, 0.01, solver);
        CHECK_NEAR(right.f[0], CART * a + 0.7, 1e-9 * (1.0 + fabs(a)), "N");
        cr_expect_eq(right.side[1], 0);
    }
}

Test(passive_stops, a_finger_that_is_nowhere_near)
{
    RgModel *model = train(1, 10.0);
    on_every_world(model, 0.3, far_away);
    rg_model_destroy(model);
}

/* Limits hold, let go, and catch again on the other side, as the cart swings. */
static void rattles(Stage *s, const SolverCase *solver)
{
    int stays = 0, leaves = 0, arrives = 0, flies = 0, before = 0;
    for (int i = 0; i < 500; i++) {
        int side = step_beside_twin(s, 0.005, solver).side[1];
        stays += side != 0 && side == before;
        leaves += side == 0 && before != 0;
        arrives += side != 0 && side != before;
        flies += side == 0 && before == 0;
        before = side;
    }
    cr_expect(stays > 20 && leaves > 2 && arrives > 2 && flies > 20, "%s: %d %d %d %d", solver->name, stays, leaves,
              arrives, flies);
}

Test(passive_stops, a_finger_that_is_let_go_and_caught)
{
    RgModel *model = train(1, 0.02);
    on_every_world(model, 0.3, rattles);
    rg_model_destroy(model);
}

/* A finger on a finger: both pressed, then one of them, then none, as their efforts are. */
static void two_fingers(Stage *s, const SolverCase *solver)
{
    int held[3] = {0, 0, 0};
    for (int i = 0; i < 600; i++) {
        if (i % 100 == 0) {
            stage_push(s, 1, i % 200 == 0 ? -3.0 : 0.5);
            stage_push(s, 2, i % 300 == 0 ? 3.0 : -0.2);
        }
        Guess right = step_beside_twin(s, 0.005, solver);
        held[(right.side[1] != 0) + (right.side[2] != 0)]++;
    }
    cr_expect(held[0] > 20 && held[1] > 20 && held[2] > 20, "%s: %d %d %d", solver->name, held[0], held[1], held[2]);
}

Test(passive_stops, two_limits_at_once)
{
    RgModel *model = train(2, 0.03);
    on_every_world(model, 0.3, two_fingers);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ samples that are held */

/* Four steps a sample. A finger that stands at its limit does so in every one of them: exact at every
   sample. */
static void check_held(const RgModel *model, const char *form, const SolverCase *solver)
{
    RgWorldDef def = world_def(model, form, "semi-implicit");
    Stage s = stage_of(model, &def, solver, 0.3, 100.0);
    rg_world_set_state(s.world, (double[2]){0.0, 0.05}, NULL);
    stage_push(&s, 1, 20.0);
    for (int i = 0; i < 100; i++) {
        Guess right = twin(&s, 0.01);
        control_run(s.control, 4, 0.0025);
        cr_expect_eq(right.side[1], -1);
        CHECK_NEAR(rg_control_joint(s.control, 0).effort, right.f[0], 1e-9 * (1.0 + fabs(right.f[0])), "N");
        CHECK_NEAR(rg_world_v(s.world)[0], wanted_velocity(&s, 0.01 * (i + 1)), solver->tolerance, "m/s");
    }

    /* Pushed the other way it is let go, flies, and arrives within a sample: what is not foreseen of that
       is at most the finger's speed. Then it creeps up by its share of the last NEAR a step, where a share
       a hold is foreseen. */
    stage_push(&s, 1, -10.0);
    int off = 0;
    for (int i = 100; i < 200; i++) {
        double speed = fabs(rg_world_v(s.world)[1]);
        control_run(s.control, 4, 0.0025);
        double error = fabs(rg_world_v(s.world)[0] - wanted_velocity(&s, 0.01 * (i + 1)));
        bool creeps = error <= solver->tolerance + FINGER / (CART + FINGER) * SHARE * NEAR / 0.0025;
        off += !creeps;
        cr_expect_lt(error, FINGER / CART * (speed + 0.1), "%s %s, sample %d", solver->name, form, i);
    }
    cr_expect(off == 1, "%s %s: %d samples", solver->name, form, off);
    CHECK_NEAR(rg_world_q(s.world)[1], -0.05, 1e-6, "m");
    cr_expect_eq(rg_control_tracking(s.control).failed, 0);
    stage_end(&s);
}

Test(passive_stops, samples_that_are_held_for_four_steps)
{
    RgModel *model = train(1, 0.05);
    for (int i = 0; i < 2 * NSOLVERS; i++)
        check_held(model, both_forms[i % 2], &solver_cases[i / 2]);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ many limits */

/* A drawn arm in a drawn state with most joints at a limit: the right one of up to 3^7 guesses is found. */
static void check_drawn_arm(uint64_t seed, int *held, int *free)
{
    Draw draw = draw_seed(seed);
    int n = 2 + draw_below(&draw, MOST_JOINTS - 1);
    RgModel *model = hinges(&draw, n);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    Stage s = stage_of(model, &def, &solver_cases[2], 1.0, 0.0);
    double q[MOST_JOINTS] = {0.2}, v[MOST_JOINTS] = {wanted_velocity(&s, 0.0)};
    for (int i = 1; i < n; i++) {
        int place = draw_below(&draw, 4);
        q[i] = place == 0 ? draw_between(&draw, -0.29, 0.29) : place == 1 ? 0.3 : -0.3;
        v[i] = draw_chance(&draw, 0.5) ? 0.0 : draw_between(&draw, -1.0, 1.0);
        stage_push(&s, i, draw_between(&draw, -5.0, 5.0));
    }
    rg_world_set_state(s.world, q, v);
    Guess right = step_beside_twin(&s, 0.01, &(SolverCase){"quick", 1e-7, 0.0});
    for (int i = 1; i < n; i++) {
        *held += right.side[i] != 0;
        *free += right.side[i] == 0;
    }
    stage_end(&s);
    rg_model_destroy(model);
}

Test(passive_stops, many_limits_against_all_guesses)
{
    int held = 0, free = 0;
    for (uint64_t seed = 0; seed < 300; seed++)
        check_drawn_arm(seed, &held, &free);
    cr_expect(held > 300 && free > 300, "%d %d", held, free);
}

/* Arms where changing all wrong joints at once goes in circles: the least-index rule has to end it. */
Test(passive_stops, guesses_that_go_in_circles)
{
    static const uint64_t seeds[] = {75909, 244068, 267845};
    int held = 0, free = 0;
    for (int i = 0; i < 3; i++)
        check_drawn_arm(seeds[i], &held, &free);
}
