/*
 * scene_law.h - ten small scenes, and one step of each by any solver in either form: is the law the same for all?
 *
 * The solution of every scene is unique in the velocities, and friction acts along the tangents of the contact frame,
 * or sticks, so that cones, pyramids and polygons agree. Hence every solver of Coulomb's law has to end with the same
 * velocities and the same account of work, to its tolerance, and both forms with the same motion.
 *
 * Joints begin closed, and where bodies on several joints would turn they begin at rest: to first order in h a step is
 * then the same in both forms. Stabilisation after the step is off: it moves bodies after the solve, and is no part of
 * the problem.
 *
 *   overlap    box 1 mm within the floor, at rest: correction of an overlap
 *   bounce     box 0.5 mm above the floor at 2 m/s, restitution 0.5: gap and restitution
 *   slide      box 20 um above the floor at 1 m/s, mu 0.4: small gap, friction along a tangent
 *   grasp      two fingers close on a box with all that their motors have, at different speeds: impact, stick, saturated motors
 *   limit      a pendulum that runs into its limit, one that is 10 mrad beyond it
 *   motor      an arm driven against a stop with limited effort, one that reaches its velocity
 *   loop       a four-bar linkage, and a box that slides on its coupler
 *   soft       box on a spring and damper (kp, kd), 1 mm deep, going down
 *   roll       ball that rolls and spins with rolling and torsional friction
 *   landing    quadruped of 12 hinges that comes down on its feet at 1 m/s, 0.3 mm above the floor
 */
#ifndef TEST_SUPPORT_SCENE_LAW_H
#define TEST_SUPPORT_SCENE_LAW_H

#include <rigor/rigor.h>

#define LAW_SCENES 10
#define LAW_MOST_NV 18
#define LAW_MOST_NQ 19
#define LAW_TOLERANCE 1e-6 /* of velocities and positions as a part of their size, and of work, J */

typedef struct LawScene {
    const char *name;
    RgModel *(*build)(void);
    void (*start)(const RgModel *model, double *v); /* v: nv zeros; positions are those of the neutral state */
    void (*drive)(RgWorld *world);                  /* sets motors; NULL: there are none */
} LawScene;

extern const LawScene law_scenes[LAW_SCENES];

/* The landing on surfaces of restitution 0.5. */
extern const LawScene law_hop;

/* Steps that are tried, s; 0 ends them. */
extern const double law_steps[];

/* Solvers of Coulomb's law, the first of which all others are compared with; NULL ends them. */
extern const char *const law_solvers[];

/* Settings of the law that every solver must follow: "default", and one for each that changes the problem; NULL ends
   them. */
typedef struct LawVariant {
    const char *name;
    void (*set)(RgContactLaw *law);
} LawVariant;
extern const LawVariant law_variants[];

/* Work of RgSolverWork by cause, in the order of law_causes; the last is the total. */
enum { LAW_CAUSES = 8 };
extern const char *const law_causes[LAW_CAUSES];

/* A step of h s with a solver given iterations enough, all options but the variant's by default. */
typedef struct LawAsk {
    const LawVariant *variant;
    const char *form, *solver;
    double h;
} LawAsk;

/* What it did. */
typedef struct LawStep {
    LawAsk ask;
    RgStatus status;
    int nv, nq;
    double v[LAW_MOST_NV], q[LAW_MOST_NQ];
    double work[LAW_CAUSES]; /* J */
    double size;             /* largest of the velocities before and after, and g h: what differences are a part of */
    int contacts, iterations;
    double residual;
    const char *solved_by; /* NULL: the solver that was asked */
} LawStep;

LawStep law_step(const LawScene *scene, const RgModel *model, LawAsk ask);

/* How far a step is from another one. */
typedef struct LawApart {
    double velocity; /* largest difference, as a part of the other's size */
    /* The same of the positions, as a part of the way at that size. Between two forms 0: they integrate differently, to
       second order. */
    double position;
    double work[LAW_CAUSES]; /* J, absolute */
} LawApart;
LawApart law_apart(const LawStep *step, const LawStep *from);

/* All are within LAW_TOLERANCE; a step that was refused or answered by another solver never agrees. */
bool law_agrees(const LawStep *step, const LawApart *apart);

#endif
