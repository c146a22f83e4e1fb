/*
 * bench_kernels.c - ns per call of the tree algorithms on four robots.
 *
 * Each call does all its work from q and v: kinematics is counted every time. Time of a state: best of many
 * repeats of a loop of at least 20 microseconds, caches warm, spread over several rounds through all robots,
 * kernels and states, so that a short load on the machine does not count. Reported: median over 64 random
 * states.
 *
 * rg_mass_matrix writes both halves of a dense matrix, Pinocchio one. The factor has no call of its own:
 * rg_mass_factor is kinematics + CRBA of one half + factor, measured as "CRBA+factor"; the row "factor" is
 * that less CRBA of both halves, hence too low by what the second half costs (10, 50, 200 and 700 ns here).
 */
#include "bench.h"
#include "bench_reference.h"
#include "draw.h"
#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATES 64
enum { FK, RNEA, CRBA, FACTOR, ABA, FORWARD, KERNELS };

/* One robot with its random states. */
typedef struct Robot {
    const char *name;
    RgModel *model;
    RgDynamics *dynamics;
    int nq, nv;
    double *q, *v, *tau, *a; /* STATES rows each */
    double *out, *M;         /* nv; nv x nv */
    double (*best)[STATES];  /* ns of each kernel at each state */
} Robot;

/* A kernel works on one state; failed calls show in the identity that is checked afterwards. */
typedef void Kernel(Robot *r, int state);

static const double *q_of(const Robot *r, int state)
{
    return r->q + state * r->nq;
}

static double *row_of(const Robot *r, double *rows, int state)
{
    return rows + state * r->nv;
}

static void run_kinematics(Robot *r, int i)
{
    rg_forward_kinematics(r->dynamics, q_of(r, i), row_of(r, r->v, i));
}

static void run_rnea(Robot *r, int i)
{
    rg_inverse_dynamics(r->dynamics, q_of(r, i), row_of(r, r->v, i), row_of(r, r->a, i), NULL, r->out);
}

static void run_crba(Robot *r, int i)
{
    rg_mass_matrix(r->dynamics, q_of(r, i), r->M);
}

static void run_factor(Robot *r, int i)
{
    rg_mass_factor(r->dynamics, q_of(r, i));
}

static void run_aba(Robot *r, int i)
{
    rg_forward_dynamics(r->dynamics, q_of(r, i), row_of(r, r->v, i), row_of(r, r->tau, i), NULL, r->out);
}

static void run_forward(Robot *r, int i)
{
    rg_forward_dynamics_factor(r->dynamics, q_of(r, i), row_of(r, r->v, i), row_of(r, r->tau, i), NULL, r->out);
}

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    bench_expect(x != NULL, "memory");
    return x;
}

static Robot robot_create(const char *name, RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    Robot r = {.name = name, .model = model, .nq = info.nq, .nv = info.nv};
    r.dynamics = rg_dynamics_create(model, NULL);
    bench_expect(r.dynamics != NULL, "memory");
    r.q = numbers(STATES * r.nq);
    r.v = numbers(STATES * r.nv);
    r.tau = numbers(STATES * r.nv);
    r.a = numbers(STATES * r.nv);
    r.out = numbers(r.nv);
    r.M = numbers(r.nv * r.nv);
    r.best = calloc(KERNELS, sizeof *r.best);
    bench_expect(r.best != NULL, "memory");

    /* Random positions, velocities and efforts; the accelerations follow from them. */
    Draw d = draw_seed(1);
    for (int s = 0; s < STATES; s++) {
        rg_model_neutral(model, r.q + s * r.nq);
        for (int i = 0; i < r.nv; i++) {
            r.out[i] = draw_between(&d, -1.5, 1.5);
            row_of(&r, r.v, s)[i] = draw_between(&d, -2.0, 2.0);
            row_of(&r, r.tau, s)[i] = draw_between(&d, -50.0, 50.0);
        }
        rg_integrate_positions(model, r.q + s * r.nq, r.out, r.q + s * r.nq);
        RgStatus status = rg_forward_dynamics(r.dynamics, q_of(&r, s), row_of(&r, r.v, s), row_of(&r, r.tau, s), NULL,
                                              row_of(&r, r.a, s));
        bench_expect(status == RG_OK, name);
    }
    return r;
}

static void robot_destroy(Robot *r)
{
    free(r->q);
    free(r->v);
    free(r->tau);
    free(r->a);
    free(r->out);
    free(r->M);
    free(r->best);
    rg_dynamics_destroy(r->dynamics);
    rg_model_destroy(r->model);
}

static Kernel *const kernels[KERNELS] = {run_kinematics, run_rnea, run_crba, run_factor, run_aba, run_forward};

/* Seconds of one call at one state, best of the repeats. */
static double time_state(Robot *r, Kernel *kernel, int state, int repeats)
{
    /* As many calls as take 20 microseconds. */
    int calls = 1;
    double elapsed = 0.0;
    while (elapsed < 20e-6) {
        calls *= 2;
        double start = bench_now();
        for (int i = 0; i < calls; i++)
            kernel(r, state);
        elapsed = bench_now() - start;
    }
    double best = elapsed;
    for (int repeat = 1; repeat < repeats; repeat++) {
        double start = bench_now();
        for (int i = 0; i < calls; i++)
            kernel(r, state);
        best = fmin(best, bench_now() - start);
    }
    return best / (double)calls;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One round through all kernels and states. */
static void time_kernels(Robot *r, bool first)
{
    for (int i = 0; i < KERNELS * STATES; i++) {
        double ns = 1e9 * time_state(r, kernels[i / STATES], i % STATES, 3), *best = &r->best[i / STATES][i % STATES];
        *best = first ? ns : fmin(*best, ns);
    }
}

/* Median over the states. */
static double median(const Robot *r, int kernel)
{
    double *best = r->best[kernel];
    qsort(best, STATES, sizeof *best, by_value);
    return 0.5 * (best[STATES / 2 - 1] + best[STATES / 2]);
}

/* Worst relative residual of RNEA(a) = tau over the states (max-norm), a by the factor route where route
   is true, else by ABA. */
static double identity_error(Robot *r, Kernel *route)
{
    double worst = 0.0, *back = numbers(r->nv);
    for (int s = 0; s < STATES; s++) {
        const double *tau = row_of(r, r->tau, s);
        double error = 0.0, scale = 0.0;
        route(r, s);
        rg_inverse_dynamics(r->dynamics, q_of(r, s), row_of(r, r->v, s), r->out, NULL, back);
        for (int i = 0; i < r->nv; i++) {
            error = fmax(error, fabs(back[i] - tau[i]));
            scale = fmax(scale, fabs(tau[i]));
        }
        worst = fmax(worst, isfinite(error) ? error / scale : (double)INFINITY);
    }
    free(back);
    return worst;
}

/* Error and time of a kernel. */
typedef struct Result {
    double error; /* relative; NaN: nothing to compare */
    uint64_t hash;
} Result;

static Result result_of(Robot *r, Kernel *kernel, double error)
{
    kernel(r, STATES - 1);
    return (Result){error, kernel == run_crba ? bench_hash(r->M, r->nv * r->nv) : bench_hash(r->out, r->nv)};
}

static void put(BenchOut *out, const Robot *r, const char *what, double ns, BenchPeer peer, Result result)
{
    BenchRow row = {.scene = r->name, .what = what, .coords = "minimal", .value = ns, .unit = "ns"};
    row.peer[0] = peer;
    row.error = result.error;
    row.error_unit = isnan(result.error) ? "" : "rel";
    row.hash = result.hash;
    bench_row(out, &row);
}

static void bench_robot(BenchOut *out, Robot *r, int index)
{
    double ns[KERNELS];
    for (int k = 0; k < KERNELS; k++)
        ns[k] = median(r, k);
    Result none = {NAN, 0}, rnea = result_of(r, run_rnea, identity_error(r, run_aba));
    Result crba = result_of(r, run_crba, NAN), aba = result_of(r, run_aba, rnea.error);
    Result route = result_of(r, run_forward, identity_error(r, run_forward));
    BenchPeer pin = {"Pinocchio", 0.0}, mujoco = {"MuJoCo", mujoco_forward[index]};
    put(out, r, "FK", ns[FK], pin, none);
    pin.value = pinocchio_rnea[index];
    put(out, r, "RNEA", ns[RNEA], pin, rnea);
    pin.value = pinocchio_crba[index];
    put(out, r, "CRBA", ns[CRBA], pin, crba);

    /* The factor alone is a difference; see the head of this file. */
    pin.value = pinocchio_cholesky[index];
    put(out, r, "factor", ns[FACTOR] - ns[CRBA], pin, none);
    pin.value += pinocchio_crba[index];
    put(out, r, "CRBA+factor", ns[FACTOR], pin, none);
    pin.value = pinocchio_aba[index];
    put(out, r, "ABA", ns[ABA], pin, aba);
    put(out, r, "forward by factor", ns[FORWARD], mujoco, route);
}

static RgModel *chain100(void)
{
    return scene_chain(100);
}

void bench_kernels(BenchOut *out)
{
    static const struct {
        const char *name;
        RgModel *(*build)(void);
    } robots[BENCH_ROBOTS] = {{"arm (6)", scene_arm},
                              {"quadruped (18)", scene_quadruped},
                              {"humanoid (36)", scene_humanoid},
                              {"chain (100)", chain100}};
    bench_title(out, "Tree algorithms",
                "ns a call, median over 64 random states; error: RNEA(accelerations) against tau, max-norm");
    Robot all[BENCH_ROBOTS];
    for (int i = 0; i < BENCH_ROBOTS; i++)
        all[i] = robot_create(robots[i].name, robots[i].build());
    for (int round = 0; round < (out->quick ? 1 : 15); round++)
        for (int i = 0; i < BENCH_ROBOTS; i++)
            time_kernels(&all[i], round == 0);
    for (int i = 0; i < BENCH_ROBOTS; i++) {
        bench_robot(out, &all[i], i);
        robot_destroy(&all[i]);
    }
}
