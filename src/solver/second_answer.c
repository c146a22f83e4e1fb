/*
 * second_answer.c - whether contacts that slip in an answer might as well stick.
 *
 * Coulomb's law may allow several motions: two jaws that press on an object at four corners each hold it where their
 * force is spread, and let it turn and fall where each rests on one corner. Both obey the law at any residual, and
 * which one a solver gives is chance. The associated law (cone_associated.c) has one motion. Where nothing slips in it,
 * the shift mu |w_t| by which it differs from Coulomb's law is zero, and it is an answer of Coulomb's law as well:
 *
 *   contacts slip in s,   s' of the associated law has Coulomb's residual 0,   J s' /= J s    =>   two motions
 *
 * It is looked for where contacts slip that begin to, the impulses of the last step, with which the solve began, lying
 * within their cones, or where others stick on what they move. That none is found proves nothing: it may be another
 * motion than sticking.
 *
 * Cost: two passes over all rows; in steps in which contacts do so a solve by cone-convex.
 */
#include "solver/second_answer.h"

#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

/* Of what rows miss without impulses: residual of an answer at most; velocities that differ by less are the same. */
#define ANSWERS 1e-8
#define DIFFERS 1e-5

/* Part of the friction that a sticking contact uses at most. */
#define WITHIN 0.999

/* Largest |w| of the friction rows behind a normal, and of |z| as a part of what bounds it. */
typedef struct Friction {
    double slip, used;
} Friction;

static Friction friction_of(const RgProblem *p, int normal, const double *s, const double *z)
{
    Friction f = {0.0, 0.0};
    for (int i = normal + 1; i < p->n && p->normal[i] == normal; i++) {
        double most = p->high[i] * z[normal], slip = fabs(rg_problem_row_times(p, i, s) - p->target[i]);
        f.slip = fmax(f.slip, slip);
        f.used = most > 0.0 ? hypot(f.used, z[i] / most) : f.used;
    }
    return f;
}

/* Whether a row moves what a contact that slips moves. */
static bool is_moved(const RgProblem *p, int i, const bool *moved)
{
    bool any = false;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        any = any || moved[p->columns[e]];
    return any;
}

/* Whether there are contacts that slip and may do otherwise. */
static bool may_stick(const RgProblem *p, const RgSecondAnswer *with, double size)
{
    bool begins = false, sticks = false;
    memset(with->moved, 0, (size_t)p->nu * sizeof *with->moved);
    for (int i = 0; i < p->n && !begins; i++) {
        if (p->row_class[i] != RG_ROW_NORMAL || !(p->z[i] > 0.0 || with->guess[i] > 0.0) ||
            !(friction_of(p, i, p->s, p->z).slip > DIFFERS * size))
            continue;
        begins = friction_of(p, i, p->s, with->guess).used < WITHIN;
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            with->moved[p->columns[e]] = true;
    }
    for (int i = 0; i < p->n && !begins && !sticks; i++)
        sticks = p->row_class[i] == RG_ROW_NORMAL && p->z[i] > 0.0 && is_moved(p, i, with->moved) &&
                 !(friction_of(p, i, p->s, p->z).slip > DIFFERS * size);
    return begins || sticks;
}

/* Contact points whose velocities differ. */
static int count_others(const RgProblem *p, const double *s, double size)
{
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->row_class[i] != RG_ROW_NORMAL)
            continue;
        bool differs = false;
        for (int k = i; k == i || (k < p->n && p->normal[k] == i); k++) {
            double change = rg_problem_row_times(p, k, s) - rg_problem_row_times(p, k, p->s);
            differs = differs || fabs(change) > DIFFERS * size;
        }
        count += differs;
    }
    return count;
}

/* What rows miss without impulses, m/s. z and s of p are spoilt. */
static double size_of(RgProblem *p, const RgSecondAnswer *with)
{
    memcpy(p->s, with->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    return rg_problem_residual(p, NULL, NULL).velocity;
}

static void recall(RgProblem *p, const RgSecondAnswer *with)
{
    memcpy(p->s, with->s, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, with->z, (size_t)p->n * sizeof *p->z);
}

int rg_second_answer(RgArena *arena, RgProblem *p, const RgRowOptions *options, const RgSecondAnswer *with)
{
    memcpy(with->s, p->s, (size_t)p->nu * sizeof *p->s);
    memcpy(with->z, p->z, (size_t)p->n * sizeof *p->z);
    double size = size_of(p, with);
    recall(p, with);
    if (!may_stick(p, with, size))
        return 0;
    bool unjudged = p->unjudged;
    RgSolveReport report = {.residual = {.worst = -1}};
    memcpy(p->s, with->s_free, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, with->guess, (size_t)p->n * sizeof *p->z);
    p->unjudged = true;
    RgStatus status = rg_solver_cone_convex.solve_rows(arena, p, options, &report);
    bool answers = status == RG_OK && rg_problem_residual(p, NULL, NULL).velocity <= ANSWERS * size;
    int others = answers ? count_others(p, with->s, size) : 0;
    recall(p, with);
    p->unjudged = unjudged;
    return others;
}
