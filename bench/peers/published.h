/*
 * published.h - figures of upstream builds on one machine of this class, one thread, steps/s median (best),
 * with errors.
 *
 * They stand beside the measured ones because a distribution's package may be years older than its engine:
 * Debian's MuJoCo is 2.2.2. Jolt and Box3D compute in float.
 */
#ifndef BENCH_PEERS_PUBLISHED_H
#define BENCH_PEERS_PUBLISHED_H

typedef struct Published {
    const char *scene, *engine;
    double steps, best; /* a second; 0: not given */
    const char *errors;
} Published;

static const Published published[] = {
    {"S1", "ODE quick 50", 3540, 4040, "height 0.04, drift 0.92 mm"},
    {"S1", "Bullet SI 50", 4770, 0, "height 0.014, drift 7.9 mm"},
    {"S1", "MuJoCo 3.12", 6360, 7710, "height 0.60 mm, drift 0"},
    {"S1", "Jolt 50 it.", 9170, 10600, "height 0.018, drift 0.73 mm"},
    {"S1", "Jolt 10 it.", 24600, 29800, "height 0.36, drift 0.53 mm"},
    {"S1", "Box3D 4 sub-steps", 23300, 32600, "height 8.7 mm"},
    {"S1", "DART", 732, 0, "height 0.009, drift 0.004 mm"},
    {"S2", "ODE quick 50", 508, 529, ""},
    {"S2", "Bullet SI 50", 348, 0, ""},
    {"S2", "MuJoCo 3.12", 265, 0, ""},
    {"S2", "Jolt 50 it.", 466, 0, ""},
    {"S2", "Jolt 10 it.", 707, 0, ""},
    {"S2", "Box3D 4 sub-steps", 846, 963, ""},
    {"S3", "ODE quick 50", 146, 159, "height 5.8 mm"},
    {"S3", "Bullet SI 50", 295, 0, "height 1.4 mm"},
    {"S3", "MuJoCo 3.12", 0, 0, "fails at 10 ms"},
    {"S3", "Jolt 50 it.", 490, 0, "height 1.4 mm"},
    {"S3", "Jolt 10 it.", 1650, 0, "height 9.9 mm"},
    {"S3", "Box3D 4 sub-steps", 2060, 2400, "height 27 mm"},
    {"S4", "ODE quick 50", 2020, 0, "energy 1.8e-4, gap 0.18 mm"},
    {"S4", "Bullet multibody", 15600, 18800, "energy 4.9e-5, gap 0"},
    {"S4", "MuJoCo 3.12", 10800, 0, ""},
    {"S4", "Jolt 50 it.", 3390, 0, ""},
    {"S4", "Jolt 10 it.", 9140, 0, ""},
    {"S4", "Box3D 4 sub-steps", 5300, 0, "energy 3.5e-3, gap 11 mm"},
    {"S4", "DART", 5340, 0, ""},
    {"S5", "ODE quick 50", 16300, 0, ""},
    {"S5", "ODE direct", 22300, 0, ""},
    {"S5", "Bullet SI 50", 0, 0, "creeps"},
    {"S5", "Bullet multibody", 18000, 0, ""},
    {"S5", "MuJoCo 3.12", 57200, 70400, ""},
    {"S5", "Jolt 50 it.", 24000, 0, ""},
    {"S5", "Jolt 10 it.", 53000, 58500, ""},
    {"S5", "Box3D 4 sub-steps", 36300, 0, "sags 13 mm"},
    {"S5", "DART", 11100, 0, ""},
    {"S6", "ODE quick 50", 0, 0, "tilt 1.07 rad; 0.08 at 1,000 iterations"},
    {"S6", "ODE direct", 0, 0, "tilt 2e-12 rad"},
    {"S6", "Bullet SI 50", 0, 0, "tilt 1.15 rad"},
    {"S6", "Bullet multibody", 0, 0, "tilt 0"},
    {"S6", "MuJoCo 3.12", 0, 0, "tilt 0"},
    {"S6", "Jolt", 0, 0, "tilt 1.75 rad; diverges at 250 iterations"},
    {"S6", "Box3D", 0, 0, "tilt 1.12 rad"},
    {"S6", "DART", 0, 0, "tilt 0"},
};

#endif
