/*
 * bench_reference.h - numbers of other engines, each the best of several runs on one core of a machine of
 * this class.
 *
 * Pinocchio 3.7: double, Eigen, clang -O3 -march=native. MuJoCo 3.12: mj_forward with all its stages. ns a
 * call, in the order
 * arm, quadruped, humanoid, chain. Steps: the same chain in Bullet's multibody (best) and MuJoCo, steps/s.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

enum { BENCH_ROBOTS = 4 };

static const double pinocchio_rnea[BENCH_ROBOTS] = {577.0, 1151.0, 2855.0, 8990.0};
static const double pinocchio_crba[BENCH_ROBOTS] = {366.0, 842.0, 2495.0, 15400.0};
static const double pinocchio_cholesky[BENCH_ROBOTS] = {126.0, 524.0, 1676.0, 102000.0};
static const double pinocchio_aba[BENCH_ROBOTS] = {1105.0, 3106.0, 6620.0, 19500.0};
static const double mujoco_forward[BENCH_ROBOTS] = {2860.0, 4860.0, 12000.0, 97000.0};

#define BULLET_CHAIN_STEPS 22300.0
#define MUJOCO_CHAIN_STEPS 10800.0

/* Centre of the last rod of the chain of 100 after 2 s, m. */
static const double chain_tip[3] = {93.0065, 0.0, -19.6200};

#endif
