/*
 * quick_residual.c - residual of an island of solver `quick`, for islands that did not converge.
 *
 * The natural map, as defined in residual.c, so that solvers can be compared:
 *
 *   r = z - P(z - w / A_ii)        in N s;  A_ii r in m/s
 *
 * P is the projection onto the admissible impulses: n >= 0; tangents within the ellipse (mu1 n, mu2 n); rows within low
 * and high, or within bound N of their patch. A_ii is the response of the point or row to its own unit impulse. Two
 * tangents, and the two rows of a disc, are evaluated together with the larger eigenvalue of their 2 x 2 block. With K
 * the response at the mean of a patch (quick_kernel.h) and a point at (s, r) from it,
 *
 *   J_n = (0, 0, 1, r, -s, 0)   J_1 = (1, 0, 0, 0, 0, -r)   J_2 = (0, 1, 0, 0, 0, s)      A = J K J' + C
 *
 * Impulses and velocities must be final (patch->z, V). Cost: one evaluation of every patch and row of the island.
 * Points and rows with zero response have no residual.
 */
#include "solver/cone_projection.h"
#include "solver/quick/quick_work.h"

static void update_largest(double r, double response, RgQuickResidual *out)
{
    out->impulse = fmax(out->impulse, fabs(r));
    out->velocity = fmax(out->velocity, fabs(r) * response);
}

/* Larger eigenvalue of [a c; c b]. */
static double larger_eigenvalue(double a, double b, double c)
{
    double half = 0.5 * (a - b);
    return 0.5 * (a + b) + sqrt(half * half + c * c);
}

/* J_a K J_b', K given by its lower triangle; `lane` selects the patch. */
static double response_of(const RgPatchLanes *lanes, int lane, const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            int at = i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
            sum += a[i] * lanes->K[at][lane] * b[j];
        }
    return sum;
}

static double dot6(const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_point(const RgPatchLanes *lanes, int lane, const RgPatch *patch, int i, const double y[6],
                      RgQuickResidual *out)
{
    double s = patch->place[i][0], r = patch->place[i][1], min_response = lanes->min_response[lane];
    const double normal[6] = {0.0, 0.0, 1.0, r, -s, 0.0};
    const double t1[6] = {1.0, 0.0, 0.0, 0.0, 0.0, -r}, t2[6] = {0.0, 1.0, 0.0, 0.0, 0.0, s};
    const double *z = patch->z[i], *C = patch->compliance;
    double n = z[0] > 0.0 ? z[0] : 0.0;

    double A = response_of(lanes, lane, normal, normal) + C[0];
    double w = dot6(normal, y) + C[0] * z[0] - patch->target[i];
    if (A > min_response)
        update_largest(z[0] - fmax(z[0] - w / A, 0.0), A, out);

    A = larger_eigenvalue(response_of(lanes, lane, t1, t1) + C[1], response_of(lanes, lane, t2, t2) + C[2],
                          response_of(lanes, lane, t1, t2));
    if (!(A > min_response))
        return;
    double a = z[1] - (dot6(t1, y) + C[1] * z[1]) / A, b = z[2] - (dot6(t2, y) + C[2] * z[2]) / A;
    ellipse_retract(patch->mu[0] * n, patch->mu[1] * n, &a, &b);
    update_largest(z[1] - a, A, out);
    update_largest(z[2] - b, A, out);
}

static void add_patches(const RgQuick *q, const RgPatchLanes *lanes, RgQuickResidual *out)
{
    for (int lane = 0; lane < lanes->lanes; lane++) {
        const RgPatch *patch = &q->problem->patches[lanes->patch[lane]];
        double y[6];
        rg_patch_velocity(patch, q->problem->V, y);
        for (int i = 0; i < patch->count; i++)
            add_point(lanes, lane, patch, i, y, out);
    }
}

/* Adds a row, or the two rows of a disc. Returns how many. */
static int add_row(const RgQuick *q, int32_t number, RgQuickResidual *out)
{
    const RgPatchProblem *p = q->problem;
    const RgPatchRow *row = &p->rows[number];
    int count = row->disc ? 2 : 1;
    double low = row->low, high = row->high, w[2];
    if (row->patch >= 0) {
        const RgPatch *patch = &p->patches[row->patch];
        high = 0.0;
        for (int i = 0; i < patch->count; i++)
            high += row->bound * patch->z[i][0];
        low = -high;
    }
    for (int k = 0; k < count; k++) {
        if (!(q->per_row[number + k] > 0.0))
            return count;
        w[k] = rg_patch_row_velocity(p, row + k, p->V) + row[k].compliance * row[k].z - row[k].target;
    }
    double A = 1.0 / q->per_row[number];
    if (!row->disc) {
        update_largest(row->z - interval_project(row->z - w[0] / A, low, high), A, out);
        return count;
    }
    A = larger_eigenvalue(A, 1.0 / q->per_row[number + 1], q->row_between[number]);
    double z[2] = {row[0].z - w[0] / A, row[1].z - w[1] / A};
    disc_retract(high, false, z);
    update_largest(row[0].z - z[0], A, out);
    update_largest(row[1].z - z[1], A, out);
    return count;
}

RgQuickResidual rg_quick_residual(const RgQuick *q, int32_t number)
{
    const RgIsland *island = &q->islands.island[number];
    RgQuickResidual out = {0.0, 0.0};
    for (int32_t i = q->first_lanes[number]; i < q->first_lanes[number + 1]; i++)
        add_patches(q, &q->lanes[i], &out);
    for (int32_t i = 0; i < island->nrows;)
        i += add_row(q, q->islands.rows[island->first_row + i], &out);
    return out;
}
