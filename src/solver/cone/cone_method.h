/*
 * cone_method.h - how contacts with Coulomb's law are solved to a residual, given as blocks (cone_blocks.c): when to
 * sweep, when to take steps of Newton's method, and how far from the last answer these may lead.
 *
 * Sweeps solve contact after contact exactly for itself. They are cheap and safe, and where few bodies touch they are
 * all that is needed. Where their residual falls too slowly to be worth waiting for, Newton's method takes over, around
 * it the proximal method (Rockafellar 1976): with z_k the last answer and D the diagonal of W, the problem
 *
 *   w = W z + q + a D (z - z_k)
 *
 * is solved for z_k+1, and a made smaller when that was easy. The new term makes singular W regular and keeps steps
 * short while contacts still change their minds; where z stops moving it is zero, and the answer that of the problem
 * itself.
 *
 * Steps are taken whole: the residual may grow while directions of sliding turn (it falls squared later). What has not
 * come to an end after a few steps is thrown away, swept, and tried again with a larger a. The best point of all is the
 * answer.
 */
#ifndef RIGOR_CONE_METHOD_H
#define RIGOR_CONE_METHOD_H

#include <stdbool.h>

typedef struct RgConeForm {
    double (*judge)(void *context); /* residual of the present point, over the size of the problem */
    void (*sweep)(void *context);
    /* Memory and plan of Newton's method; what a step of it costs, in sweeps; negative: it cannot be. */
    double (*plan)(void *context);
    /* What each contact has in mind now; returns the residual of the problem with a round the centre, which the next
       step is for. */
    double (*look)(void *context, double a);
    bool (*step)(void *context);                 /* false: the system is singular */
    void (*shorten)(void *context, double part); /* that step once more from where it began, only so far */
    /* Solves the convex problem with a round the present point, whatever it takes; steps: how many it took. NULL: there
       is none, and Newton's method goes in careful steps instead. False: it could not. */
    bool (*convex)(void *context, double a, int *steps);
} RgConeForm;

typedef struct RgConeMethod {
    const RgConeForm *form;
    void *context;
    int n;
    double *z;             /* n: the present point */
    double *best, *centre; /* n: the best one, z_k */
    double tolerance;
    double a_least;
    int careful;    /* so many times, careful steps of Newton's method come before the convex problem */
    bool warm;      /* the first point is thought to be near: Newton's method before any sweep */
    int iterations; /* out: sweeps and steps */
    int most;
    int better_at; /* iteration at which the best was last much better than before */
    double least;  /* out: residual of the best point */
} RgConeMethod;

/* The present point is the best one at the end. True: to the tolerance. False with an infinite least: the first point
   has no residual, and is the present one still. */
bool rg_cone_method_solve(RgConeMethod *m);

#endif
