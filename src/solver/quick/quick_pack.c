/* quick_pack.c - packs patches for the kernels of solver `quick`: four patches of one colour at a time. */
#include "solver/quick/quick_work.h"

#include <math.h>

/* Largest ratio of the friction coefficients of the two tangents; smaller coefficients are raised to that ratio. */
#define MAX_STRETCH 1e8

/* m/s: targets of four points that deviate less from a plane count as coplanar. */
#define PLANE_TOLERANCE 1e-9

/* Tolerance, as a part of the normal impulse, for positions that do not sum to zero because they are differences of
   world positions. */
#define MEAN_TOLERANCE 1e-8

static bool is_grouped(const RgPatchProblem *p, const RgPatch *patch)
{
    return p->movers[patch->mover[0]].group >= 0 || p->movers[patch->mover[1]].group >= 0;
}

static bool is_free(const RgPatchProblem *p, int32_t mover)
{
    return mover > 0 && p->movers[mover].group < 0;
}

/* Inverts the spread of the points; for two points along their line, for one not at all. Returns false, with zero
   spread, if it is not usable: three or four collinear points, two coincident points, or positions too small beside the
   arms to have a mean. With eigenvalues a <= b and C the largest condition number, b <= C a is equivalent to C (a +
   b)^2 <= (1 + C)^2 a b. */
static bool spread_points(const RgPatch *patch, RgPatchLanes *to, int lane)
{
    const double C = RG_PATCH_CONDITION;
    double rr = 0.0, rs = 0.0, ss = 0.0, r_sum = 0.0, s_sum = 0.0;
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        rr += r * r;
        rs += r * s;
        ss += s * s;
        r_sum += r;
        s_sum += s;
    }
    double size = rr + ss, det = rr * ss - rs * rs;
    bool plane = patch->count > 2 && (1.0 + C) * (1.0 + C) * det >= C * (size * size) && det > 0.0;
    double per = plane ? 1.0 / det : 0.0, along = patch->count == 2 && ss > 0.0 ? 1.0 / ss : per * rr;
    double off = per * (ss * r_sum * r_sum - 2.0 * rs * r_sum * s_sum) + along * s_sum * s_sum;
    bool good = patch->count < 2 || (along > 0.0 && off <= MEAN_TOLERANCE * MEAN_TOLERANCE);
    to->spread[0][lane] = good ? per * ss : 0.0;
    to->spread[1][lane] = good ? per * rs : 0.0;
    to->spread[2][lane] = good ? along : 0.0;
    to->twist[lane] = patch->count > 1 && size > 0.0 ? 1.0 / size : 0.0;
    return good;
}

/* Twice the area of the triangle of three points. */
static double area(const RgPatch *patch, int i, int j, int k)
{
    const double(*d)[2] = patch->place;
    return (d[j][0] - d[i][0]) * (d[k][1] - d[i][1]) - (d[k][0] - d[i][0]) * (d[j][1] - d[i][1]);
}

/* Number of points written in a lane: a single lane has only its own. */
static int written_points(const RgPatch *patch, const RgPatchLanes *lanes, int lane)
{
    return lane == 0 && lanes->lanes == 1 ? patch->count : RG_PATCH_POINTS;
}

/* For four points, the normal impulses without resultant wrench. Returns whether the targets lie in a plane. */
static bool find_null_vector(const RgPatch *patch, RgPatchLanes *to, int lane)
{
    bool four = patch->count == 4;
    double slack[4] = {0.0}, mismatch = 0.0, size = 0.0;
    if (four) {
        slack[0] = area(patch, 1, 2, 3);
        slack[1] = -area(patch, 0, 2, 3);
        slack[2] = area(patch, 0, 1, 3);
        slack[3] = -area(patch, 0, 1, 2);
    }
    for (int i = 0; i < written_points(patch, to, lane); i++) {
        to->slack[i][lane] = slack[i];
        to->per_slack[i][lane] = slack[i] != 0.0 ? 1.0 / slack[i] : 0.0;
        mismatch += four ? slack[i] * patch->target[i] : 0.0;
        size += fabs(slack[i]);
    }
    return fabs(mismatch) <= PLANE_TOLERANCE * size;
}

/* Marks the components of a wrench that the points can transmit. */
static void mark_active(const RgPatch *patch, RgPatchLanes *to, int lane)
{
    bool tangent_on[2] = {patch->mu[0] > 0.0, patch->mu[1] > 0.0},
         spins = tangent_on[0] && tangent_on[1] && patch->count > 1;
    bool active[6] = {tangent_on[0], tangent_on[1], true, patch->count > 2, patch->count > 1, spins};
    for (int i = 0; i < 6; i++)
        to->active[i][lane] = active[i] ? 1.0 : 0.0;
}

static void pack_side(const RgPatchProblem *p, const RgPatch *patch, int side, RgPatchLanes *to, int lane)
{
    const RgSolverBody *m = &p->movers[patch->mover[side]];
    const double I[6] = {m->inverse_inertia.xx, m->inverse_inertia.yy, m->inverse_inertia.zz,
                         m->inverse_inertia.xy, m->inverse_inertia.xz, m->inverse_inertia.yz};
    const double arm[3] = {patch->arm[side].x, patch->arm[side].y, patch->arm[side].z};
    for (int i = 0; i < 6; i++)
        to->inverse_inertia[side][i][lane] = I[i];
    for (int i = 0; i < 3; i++)
        to->arm[side][i][lane] = arm[i];
    to->inverse_mass[side][lane] = m->inverse_mass;
    to->mover[side][lane] = patch->mover[side];
}

static void pack_patch(const RgPatchProblem *p, int32_t number, RgPatchLanes *to, int lane)
{
    const RgPatch *patch = &p->patches[number];
    to->patch[lane] = number;
    to->skip[lane] = 0.0;
    to->whole[lane] = 1.0;
    to->points = patch->count > to->points ? patch->count : to->points;
    for (int i = 0; i < 3; i++) {
        to->axis[i][0][lane] = patch->axis[i].x;
        to->axis[i][1][lane] = patch->axis[i].y;
        to->axis[i][2][lane] = patch->axis[i].z;
    }
    pack_side(p, patch, 0, to, lane);
    pack_side(p, patch, 1, to, lane);
    for (int i = 0; i < written_points(patch, to, lane); i++) {
        bool is = i < patch->count;
        to->present[i][lane] = is ? 1.0 : 0.0;
        to->place[i][0][lane] = is ? patch->place[i][0] : 0.0;
        to->place[i][1][lane] = is ? patch->place[i][1] : 0.0;
        to->target[i][lane] = is ? patch->target[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            to->z[i][k][lane] = is ? patch->z[i][k] : 0.0;
        }
    }
    double mu = patch->mu[0] > patch->mu[1] ? patch->mu[0] : patch->mu[1];
    to->mu[lane] = mu;
    for (int i = 0; i < 2; i++) {
        double least = mu / MAX_STRETCH;
        bool none = mu > 0.0 && !(patch->mu[i] > 0.0);
        to->tangent_on[i][lane] = none ? 0.0 : 1.0;
        to->stretch[i][lane] = none ? 0.0 : mu > 0.0 ? mu / (patch->mu[i] > least ? patch->mu[i] : least) : 1.0;
        for (int k = 0; k < written_points(patch, to, lane); k++)
            to->z[k][1 + i][lane] *= to->tangent_on[i][lane];
    }
    bool flat = find_null_vector(patch, to, lane), spread = spread_points(patch, to, lane);
    to->rigid[lane] = flat && spread ? 1.0 : 0.0;
    if (to->tangent_on[0][lane] * to->tangent_on[1][lane] == 0.0 &&
        patch->count > 1) /* its wrench cannot be distributed */
        to->rigid[lane] = 0.0;
    for (int i = 0; i < 3; i++) {
        to->compliance[i][lane] = patch->compliance[i];
        to->rigid[lane] = patch->compliance[i] == 0.0 ? to->rigid[lane] : 0.0;
    }
    to->share[lane] = 1.0 / patch->count;
    mark_active(patch, to, lane);
}

/* Fills an unused lane: no points, unit masses, on the ground. */
static void pack_unused_lane(RgPatchLanes *to, int lane)
{
    static const RgSolverBody unit = {1.0, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, -1, 0};
    RgPatch nothing = {.axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    RgPatchProblem p = {.movers = &unit, .patches = &nothing};
    pack_patch(&p, 0, to, lane);
    to->share[lane] = 0.0;
}

void rg_quick_fill_lanes(const RgQuick *q, RgPatchLanes *lanes)
{
    lanes->points = 0;
    lanes->points_ready = 0;
    for (int lane = 0; lane < lanes->lanes; lane++)
        pack_patch(q->problem, lanes->patch[lane], lanes, lane);
}

/* ------------------------------------------------------------------ assignment of patches to lanes */

/* How the patches of one colour are packed: alone, with others of several points, with others of one point. */
typedef enum Packing { PACK_ALONE, PACK_WIDE, PACK_NARROW, PACKINGS } Packing;

static Packing packing_of(const RgPatchProblem *p, int32_t patch, bool apart)
{
    if (!apart || is_grouped(p, &p->patches[patch]))
        return PACK_ALONE;
    return p->patches[patch].count > 1 ? PACK_WIDE : PACK_NARROW;
}

static int32_t count_run(const RgPatchProblem *p, const int32_t *list, int32_t count, bool apart)
{
    int32_t counts[PACKINGS] = {0};
    for (int32_t i = 0; i < count; i++)
        counts[packing_of(p, list[i], apart)]++;
    return counts[PACK_ALONE] + (counts[PACK_WIDE] + RG_LANES - 1) / RG_LANES +
           (counts[PACK_NARROW] + RG_LANES - 1) / RG_LANES;
}

/* End of the run of patches of one colour that starts at i. */
static int32_t run_end(const RgIslands *islands, int32_t i, int32_t end)
{
    int8_t colour = islands->colour[i];
    while (i < end && islands->colour[i] == colour)
        i++;
    return i;
}

/* Assigns the patches of one colour to lanes: first those packed alone, then those of four, three and two points, then
   those of one. The cost of a visit is that of the lane with most points. */
static void assign_run(const RgPatchProblem *p, const int32_t *list, int32_t count, bool apart, RgPatchLanes *lanes)
{
    int32_t counts[PACKINGS][RG_PATCH_POINTS + 1] = {{0}}, place[RG_PATCH_POINTS + 1];
    for (int32_t i = 0; i < count; i++)
        counts[packing_of(p, list[i], apart)][p->patches[list[i]].count]++;
    int32_t alone = 0, wide = 0, narrow = counts[PACK_NARROW][1];
    for (int n = RG_PATCH_POINTS; n >= 0; n--) {
        place[n] = wide;
        wide += counts[PACK_WIDE][n];
        alone += counts[PACK_ALONE][n];
    }
    RgPatchLanes *first_wide = lanes + alone, *first_narrow = first_wide + (wide + RG_LANES - 1) / RG_LANES;
    place[1] = 0;
    alone = 0;
    for (int32_t i = 0; i < count; i++) {
        Packing packing = packing_of(p, list[i], apart);
        int32_t at = packing == PACK_ALONE ? RG_LANES * alone++ : place[p->patches[list[i]].count]++;
        RgPatchLanes *to = (packing == PACK_ALONE  ? lanes
                            : packing == PACK_WIDE ? first_wide
                                                   : first_narrow) +
                           at / RG_LANES;
        to->patch[at % RG_LANES] = list[i];
        const int32_t *mover = p->patches[list[i]].mover;
        to->grouped = packing == PACK_ALONE && is_grouped(p, &p->patches[list[i]]);
        to->half_free = to->grouped && (is_free(p, mover[0]) || is_free(p, mover[1]));
    }
    for (int32_t k = 0; k < alone; k++)
        lanes[k].lanes = 1;
    for (int32_t k = 0; k < wide; k += RG_LANES)
        first_wide[k / RG_LANES].lanes = wide - k < RG_LANES ? wide - k : RG_LANES;
    for (int32_t k = 0; k < narrow; k += RG_LANES)
        first_narrow[k / RG_LANES].lanes = narrow - k < RG_LANES ? narrow - k : RG_LANES;
}

int32_t rg_quick_count_lanes(RgQuick *q)
{
    const RgIslands *islands = &q->islands;
    int32_t n = 0, runs = 0;
    for (int32_t k = 0; k < islands->count; k++) {
        const RgIsland *island = &islands->island[k];
        q->first_lanes[k] = n;
        q->first_run[k] = runs;
        int32_t end = island->first_patch + island->npatches;
        for (int32_t i = island->first_patch, next; i < end; i = next) {
            next = run_end(islands, i, end);
            bool apart = islands->colour[i] < RG_COLOURS;
            n += count_run(q->problem, islands->patches + i, next - i, apart);
            q->runs[runs++] = (RgQuickRun){n, apart};
        }
    }
    q->first_lanes[islands->count] = n;
    q->first_run[islands->count] = runs;
    return n;
}

void rg_quick_assign_lanes(RgQuick *q)
{
    const RgIslands *islands = &q->islands;
    int32_t n = 0, run = 0;
    for (int32_t k = 0; k < islands->count; k++) {
        const RgIsland *island = &islands->island[k];
        int32_t end = island->first_patch + island->npatches;
        for (int32_t i = island->first_patch, next; i < end; i = next) {
            next = run_end(islands, i, end);
            assign_run(q->problem, islands->patches + i, next - i, q->runs[run].apart, q->lanes + n);
            n = q->runs[run++].end;
        }
    }
    for (int32_t i = 0; i < n; i++)
        for (int lane = q->lanes[i].lanes; lane < RG_LANES; lane++)
            pack_unused_lane(&q->lanes[i], lane);
}
