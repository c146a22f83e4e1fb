/*
 * test_second_answer.c - two contacts press on one velocity, and share the squeeze 1 N s in any way; the first has
 * friction mu = 1, the second none. The other velocity begins with PULL:
 *
 *   z_A = 1       friction holds PULL <= 1                                        the answer that sticks
 *   z_A = share   friction is share < PULL: it slips with PULL - share            another, of the same law
 */
#include "check_near.h"
#include "solver/second_answer.h"

#include <math.h>
#include <string.h>

enum { NORMAL, TANGENT, ACROSS, SMOOTH, ROWS };
enum { DOWN, ALONG, ASIDE, VELOCITIES };

/* The answer that is looked at: one of the law, or of another. */
typedef enum Answer {
    COULOMB,
    PYRAMID,    /* the tangents share no cone */
    ASSOCIATED, /* what slips lifts off by as much */
    UNSOLVED    /* less friction than what slips has */
} Answer;

/* Contact points that move otherwise in a second answer, where the first contact carries share, and did so before. */
static int others_beside(Answer answer, double pull, double share, double before)
{
    int start[ROWS + 1] = {0, 1, 2, 3, 4}, columns[ROWS] = {DOWN, ALONG, ASIDE, DOWN};
    int normal[ROWS] = {-1, NORMAL, NORMAL, -1};
    uint8_t row_class[ROWS] = {RG_ROW_NORMAL, RG_ROW_FRICTION, RG_ROW_FRICTION, RG_ROW_NORMAL};
    bool cone[ROWS] = {false, answer != PYRAMID, false, false}, damper[ROWS] = {false}, moved[VELOCITIES];
    double values[ROWS] = {1.0, 1.0, 1.0, 1.0}, target[ROWS] = {0.0}, compliance[ROWS] = {0.0};
    double low[ROWS] = {0.0, -INFINITY, -INFINITY, 0.0}, high[ROWS] = {INFINITY, 1.0, 1.0, INFINITY};
    double friction = -fmin(pull, share) * (answer == UNSOLVED ? 0.9 : 1.0), s_free[VELOCITIES] = {-1.0, pull, 0.0};
    double z[ROWS] = {share, friction, 0.0, 1.0 - share}, guess[ROWS] = {before, -before, 0.0, 1.0 - before};
    double s[VELOCITIES] = {answer == ASSOCIATED ? pull + friction : 0.0, pull + friction, 0.0}, kept_z[ROWS],
           kept_s[VELOCITIES];
    RgProblem p = {.n = ROWS,
                   .nu = VELOCITIES,
                   .start = start,
                   .columns = columns,
                   .values = values,
                   .target = target,
                   .compliance = compliance,
                   .low = low,
                   .high = high,
                   .normal = normal,
                   .row_class = row_class,
                   .cone = cone,
                   .damper = damper,
                   .z = z,
                   .s = s};
    RgRowOptions options = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    RgArena arena;
    rg_arena_init(&arena, NULL);
    if (answer == ASSOCIATED)
        z[SMOOTH] += s[DOWN];
    if (answer == COULOMB || answer == PYRAMID)
        CHECK_NEAR(rg_problem_residual(&p, NULL, NULL).velocity, 0.0, 1e-15, "m/s");
    int found = rg_second_solution(&arena, &p, &options, &(RgSecondSolution){s_free, guess, kept_s, kept_z, moved});
    rg_arena_free(&arena);
    cr_expect(z[NORMAL] == share && s[ALONG] == pull + friction && !p.skip_residual);
    return found;
}

static int others(double pull, double share, double before)
{
    return others_beside(COULOMB, pull, share, before);
}

Test(second_answer, is_found_where_a_contact_might_as_well_stick)
{
    cr_expect(others(0.5, 0.2, 0.0) == 1);  /* from no impulses */
    cr_expect(others(0.99, 0.2, 0.0) == 1); /* friction is just enough */
}

Test(second_answer, is_none_where_nothing_slips_or_friction_is_too_weak)
{
    cr_expect(others(0.5, 1.0, 0.0) == 0);
    cr_expect(others(1.5, 0.2, 0.0) == 0);
    cr_expect(others(1.01, 1.0, 0.0) == 0);
}

/* What slipped before is looked at where another contact holds what it moves. */
Test(second_answer, is_found_while_it_slips_on)
{
    cr_expect(others(0.5, 0.2, 0.2) == 1);
}

/* Answers of other laws, and what is no answer, differ from one that sticks without being a second. */
Test(second_answer, is_not_sought_beside_what_is_none)
{
    cr_expect(others_beside(PYRAMID, 0.5, 0.2, 0.0) == 0);
    cr_expect(others_beside(ASSOCIATED, 0.5, 0.2, 0.0) == 0);
    cr_expect(others_beside(UNSOLVED, 0.5, 0.2, 0.0) == 0);
}
