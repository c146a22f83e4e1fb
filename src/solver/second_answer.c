/*
 * second_answer.c - detects a second solution in which sliding contacts stick.
 *
 * Coulomb's law may have several solutions: two jaws that press on an object at four corners each hold it if their
 * force is distributed over the corners, and let it turn and fall if each rests on one corner. Both satisfy the law at
 * any residual, and which one a solver finds is arbitrary. The associated law (cone_associated.c) has one motion. If
 * nothing slips in it, the shift mu |w_t| by which it differs from Coulomb's law is zero, and it is a solution of
 * Coulomb's law as well:
 *
 *   contacts slip in s,   s' of the associated law has Coulomb residual 0,   J s' /= J s    =>   two motions
 *
 * The check is made only beside an answer of Coulomb's law: one with residual 0 in a problem whose tangents share cones.
 * Pyramids, the associated law, least energy and sweeps that ended early move contacts otherwise for reasons of their
 * own. Further, contacts must slip that begin to slip (the initial guess, the impulses of the last step, lies inside
 * their cones), or other contacts must stick on the bodies that they move. If none is found, a second solution may
 * still exist: it may be a motion other than sticking.
 *
 * Cost: three passes over all rows; a solve by cone-convex in steps in which the condition holds.
 */
#include "solver/second_answer.h"

#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

/* Parts of the residual without impulses: the largest residual of a solution; velocities that differ by less are
   equal. */
#define MAX_RESIDUAL 1e-8
#define MIN_DIFFERENCE 1e-5

/* Largest part of the friction limit used by a contact that counts as sticking. */
#define STICKING_FRICTION 0.999

/* Largest |w| of the friction rows of a normal, and |z| as a part of the friction limit. */
typedef struct Friction {
    double slip, used;
} Friction;

static Friction friction_of(const RgProblem *p, int normal, const double *s, const double *z)
{
    Friction f = {0.0, 0.0};
    for (int i = normal + 1; i < p->n && p->normal[i] == normal; i++) {
        double most = p->high[i] * z[normal], slip = fabs(rg_problem_row_times(p, i, s) - p->target[i]);
        f.slip = fmax(f.slip, slip);
        f.used = most > 0.0 ? sqrt(f.used * f.used + z[i] / most * (z[i] / most)) : f.used;
    }
    return f;
}

/* Whether the friction of all contacts is Coulomb's: no bounds without a normal, no pyramids. */
static bool has_coulomb_friction(const RgProblem *p)
{
    for (int i = 0; i < p->n; i++) {
        bool pair = i + 1 < p->n && p->row_class[i] == RG_ROW_FRICTION && p->row_class[i + 1] == RG_ROW_FRICTION &&
                    p->normal[i] == p->normal[i + 1];
        if (p->row_class[i] == RG_ROW_BOX || (pair && !p->cone[i] && !p->cone[i + 1]))
            return false;
        i += p->cone[i];
    }
    return true;
}

/* Whether a row acts on an unknown on which a sliding contact acts. */
static bool is_moved(const RgProblem *p, int i, const bool *moved)
{
    bool any = false;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        any = any || moved[p->columns[e]];
    return any;
}

/* Whether contacts slip that could stick in another solution. */
static bool slip_may_be_avoidable(const RgProblem *p, const RgSecondSolution *with, double size)
{
    bool starts_slipping = false, sticks = false;
    memset(with->moved, 0, (size_t)p->nu * sizeof *with->moved);
    for (int i = 0; i < p->n && !starts_slipping; i++) {
        if (p->row_class[i] != RG_ROW_NORMAL || !(p->z[i] > 0.0 || with->guess[i] > 0.0) ||
            !(friction_of(p, i, p->s, p->z).slip > MIN_DIFFERENCE * size))
            continue;
        starts_slipping = friction_of(p, i, p->s, with->guess).used < STICKING_FRICTION;
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            with->moved[p->columns[e]] = true;
    }
    for (int i = 0; i < p->n && !starts_slipping && !sticks; i++)
        sticks = p->row_class[i] == RG_ROW_NORMAL && p->z[i] > 0.0 && is_moved(p, i, with->moved) &&
                 !(friction_of(p, i, p->s, p->z).slip > MIN_DIFFERENCE * size);
    return starts_slipping || sticks;
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
            differs = differs || fabs(change) > MIN_DIFFERENCE * size;
        }
        count += differs;
    }
    return count;
}

/* Residual without impulses, m/s. Overwrites z and s of p. */
static double free_residual(RgProblem *p, const RgSecondSolution *with)
{
    memcpy(p->s, with->s_free, (size_t)p->nu * sizeof *p->s);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    return rg_problem_residual(p, NULL, NULL).velocity;
}

static void restore_solution(RgProblem *p, const RgSecondSolution *with)
{
    memcpy(p->s, with->s, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, with->z, (size_t)p->n * sizeof *p->z);
}

int rg_second_solution(RgArena *arena, RgProblem *p, const RgRowOptions *options, const RgSecondSolution *with)
{
    if (!has_coulomb_friction(p))
        return 0;
    memcpy(with->s, p->s, (size_t)p->nu * sizeof *p->s);
    memcpy(with->z, p->z, (size_t)p->n * sizeof *p->z);
    double residual = rg_problem_residual(p, NULL, NULL).velocity, size = free_residual(p, with);
    restore_solution(p, with);
    if (!(residual <= MAX_RESIDUAL * size) || !slip_may_be_avoidable(p, with, size))
        return 0;
    bool skip_residual = p->skip_residual;
    RgSolveReport report = {.residual = {.worst = -1}};
    memcpy(p->s, with->s_free, (size_t)p->nu * sizeof *p->s);
    memcpy(p->z, with->guess, (size_t)p->n * sizeof *p->z);
    p->skip_residual = true;
    RgStatus status = rg_solver_cone_convex.solve_rows(arena, p, options, &report);
    bool is_solution = status == RG_OK && rg_problem_residual(p, NULL, NULL).velocity <= MAX_RESIDUAL * size;
    int others = is_solution ? count_others(p, with->s, size) : 0;
    restore_solution(p, with);
    p->skip_residual = skip_residual;
    return others;
}
