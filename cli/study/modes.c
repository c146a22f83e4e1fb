/*
 * modes.c - instability of explicit PD control: the fastest mode of joints, gains and inertia.
 *
 * With efforts -Kp e - Kd e' computed at the start of a step of semi-implicit Euler, and M the effective inertia of the
 * controlled axes (frozen),
 *
 *   M (e+ - 2 e + e-) = -h^2 Kp e - h Kd (e - e-)
 *
 * With e ~ z^n u and m = u'Mu, k = u'Kp u, d = u'Kd u this is m (z - 1)^2 + (h^2 k + h d) z - h d = 0. Its roots lie
 * within the unit circle where h d < 2 m and 4 m - 2 h d - h^2 k > 0 (Jury); the second, with k > 0, implies the first.
 * For all u:
 *
 *   stable  <=>  B(h) = 4 M - 2 h Kd - h^2 Kp  is positive definite
 *
 * ("<=": the above. "=>": else det of the quadratic pencil changes its sign between z = -1 and z = -inf.) B decreases
 * as h grows, so there is one limit, found by bisection with L D L'; the null vector of B at the limit is the mode, and
 * u_i^2 (2 h kd_i + h^2 kp_i) is the part of axis i. One axis alone: h = 4 / (d + sqrt(d^2 + 4 k)) for m = 1.
 *
 * Implicit joint dampers add 2 h D to B: a caller counts them as kd - D. Neglected: Coriolis terms, joint springs,
 * sampling slower than the step. M changes with the motion, so a mode begins to grow at the least limit over a
 * trajectory; a run that passes it quickly may be stable with a slightly longer step.
 */
#include "study/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BISECTIONS = 60, NULL_ITERATIONS = 6 };

/* ------------------------------------------------------------------ the limit */

typedef struct Pencil {
    int n;
    const double *kp, *kd;
    double *M;      /* n x n */
    double *factor; /* n x n: of B(h), or of the mobility */
    double *u;      /* n */
} Pencil;

/* M = mobility^-1. */
static bool invert(Pencil *p, const double *mobility)
{
    int n = p->n;
    memcpy(p->factor, mobility, (size_t)n * (size_t)n * sizeof *p->factor);
    if (!rg_dense_ldl_factor(p->factor, n))
        return false;
    for (int j = 0; j < n; j++) {
        memset(p->u, 0, (size_t)n * sizeof *p->u);
        p->u[j] = 1.0;
        rg_dense_ldl_solve(p->factor, n, p->u);
        for (int i = 0; i < n; i++)
            p->M[i * n + j] = p->u[i];
    }
    return true;
}

static double stiffness(const Pencil *p, int i, double h)
{
    return h * (2.0 * p->kd[i] + h * p->kp[i]);
}

static bool stable(Pencil *p, double h)
{
    int n = p->n;
    for (int i = 0; i < n * n; i++)
        p->factor[i] = 4.0 * p->M[i];
    for (int i = 0; i < n; i++)
        p->factor[i * n + i] -= stiffness(p, i, h);
    return rg_dense_ldl_factor(p->factor, n);
}

/* The null vector of B at its limit by inverse iteration, h being just below; then the numbers of the mode. */
static void describe(Pencil *p, const double *mobility, double h, RgMode *out)
{
    int n = p->n;
    double *u = p->u, m = 0.0, k = 0.0, d = 0.0, total = 0.0, largest = -1.0;
    if (!stable(p, h))
        return;
    for (int i = 0; i < n; i++)
        u[i] = sqrt(mobility[i * n + i]) * (1.0 + 0.01 * i);
    for (int pass = 0; pass < NULL_ITERATIONS; pass++) {
        double norm = 0.0;
        rg_dense_ldl_solve(p->factor, n, u);
        for (int i = 0; i < n; i++)
            norm = fmax(norm, fabs(u[i]));
        for (int i = 0; i < n; i++)
            u[i] /= norm;
    }
    for (int i = 0; i < n; i++) {
        double part = fmax(0.0, stiffness(p, i, h)) * u[i] * u[i];
        for (int j = 0; j < n; j++)
            m += u[i] * p->M[i * n + j] * u[j];
        k += p->kp[i] * u[i] * u[i];
        d += p->kd[i] * u[i] * u[i];
        total += part;
        if (part > largest) {
            largest = part;
            out->axis = i;
        }
    }
    out->share = total > 0.0 ? largest / total : 0.0;
    out->frequency = sqrt(fmax(0.0, k / m));
    out->decay = d / m;
    out->inertia = 1.0 / mobility[out->axis * n + out->axis];
}

bool rg_pd_mode(int n, const double *mobility, const double *kp, const double *kd, double below, RgMode *out)
{
    size_t size = (size_t)n * (size_t)n;
    double *room = malloc((2 * size + (size_t)n) * sizeof *room);
    *out = (RgMode){.limit = INFINITY, .axis = -1};
    if (!room)
        return false;
    Pencil p = {.n = n, .kp = kp, .kd = kd, .M = room, .factor = room + size, .u = room + 2 * size};
    bool good = invert(&p, mobility);
    if (good && !stable(&p, below)) {
        double low = 0.0, high = below;
        for (int i = 0; i < BISECTIONS && high > low * (1.0 + 1e-14); i++) {
            double middle = 0.5 * (low + high);
            if (stable(&p, middle))
                low = middle;
            else
                high = middle;
        }
        out->limit = low;
        describe(&p, mobility, low * (1.0 - 1e-10), out);
    }
    free(room);
    return good;
}

/* ------------------------------------------------------------------ mobility */

/*
 * A separate world at rest, without gravity, contacts, limits and dry friction: column j is the change of accelerations
 * by a unit effort on axis j. Loops, couplings and rotors act as in any step.
 */
struct RgMobility {
    RgWorld *world;
    int n;
    const RgModeAxis *axes;
    double *room; /* 3 nv: zeros; accelerations without and with an effort */
    int nv;
};

RgMobility *rg_mobility_create(const RgModel *model, int n, const RgModeAxis *axes, RgError *error)
{
    RgMobility *m = calloc(1, sizeof *m);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.gravity = (RgVec3){0.0, 0.0, 0.0};
    def.contact = false;
    def.position_limits = false;
    if (m) {
        *m = (RgMobility){.n = n, .axes = axes, .nv = rg_model_info(model).nv};
        m->room = calloc(3 * (size_t)m->nv, sizeof *m->room);
        m->world = rg_world_create(&def, error);
    }
    if (m && m->room && m->world)
        return m;
    rg_mobility_destroy(m);
    return NULL;
}

void rg_mobility_destroy(RgMobility *mobility)
{
    if (!mobility)
        return;
    rg_world_destroy(mobility->world);
    free(mobility->room);
    free(mobility);
}

static RgStatus set_effort(RgMobility *m, int axis, double effort)
{
    double efforts[6] = {0};
    efforts[m->axes[axis].dof] = effort;
    return rg_world_set_joint_effort(m->world, m->axes[axis].joint, efforts);
}

RgStatus rg_mobility_at(RgMobility *m, const double *q, double *out)
{
    int n = m->n;
    double *rest = m->room + m->nv, *pushed = rest + m->nv;
    RgStatus status = rg_world_set_state(m->world, q, m->room);
    if (status == RG_OK)
        status = rg_world_acceleration(m->world, rest);
    for (int j = 0; j < n && status == RG_OK; j++) {
        status = set_effort(m, j, 1.0);
        if (status == RG_OK)
            status = rg_world_acceleration(m->world, pushed);
        set_effort(m, j, 0.0);
        for (int i = 0; i < n; i++)
            out[i * n + j] = pushed[m->axes[i].v_index] - rest[m->axes[i].v_index];
    }

    /* Exactly symmetric. */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            out[i * n + j] = out[j * n + i] = 0.5 * (out[i * n + j] + out[j * n + i]);
    return status;
}
