/*
 * auto_error.c - error measure and step length control of stepper auto.
 *
 * Distance of two configurations, one number for all kinds of joints and both coordinate forms:
 *
 *   d^2 = sum over bodies of  m |c1 - c2|^2 + tr((R1 - R2) J (R1 - R2)'),   J = tr(I)/2 1 - I
 *
 * This is the integral over all mass of the squared distance. It does not depend on coordinates and weighs metres and
 * radians by the mass they move; d / sqrt(m) is the root mean square distance. Its rate is the speed v, v^2 = 2 T(u).
 *
 * Length of the next step, proportional-integral control after Gustafsson (1991), with e and e0 the errors of the last
 * step and of the one before as parts of the tolerance, of order h^k:
 *
 *   h' = h 0.9 e^(-3/(4k)) e0^(1/(4k))      limited to [h/5, 5h]
 *
 * The exponents are near the usual 0.7/k and 0.4/k, and need square roots only.
 */
#include "stepper/auto.h"

#define SAFETY 0.9 /* usual safety factor of step length control */
#define GROWTH 5.0 /* largest ratio of consecutive step lengths, and its inverse the smallest */

/* Lower bound of errors as parts of the tolerance: avoids division by 0. Below it the growth is limited anyway. */
#define LEAST_ERROR 1e-6

void rg_auto_places(const RgForm *form, RgAutoPlace *out)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgPose *X = &form->kin->X_WB[i];
        out[i] = (RgAutoPlace){pose_apply(*X, m->bodies[i].inertia.com), X->R};
    }
}

/* tr(D J D') of one body. */
static double turned2(const RgInertia *inertia, const RgMat3 *R1, const RgMat3 *R2)
{
    const RgSym3 *I = &inertia->I;
    double half = 0.5 * (I->xx + I->yy + I->zz), sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = R1->m[i][0] - R2->m[i][0], y = R1->m[i][1] - R2->m[i][1], z = R1->m[i][2] - R2->m[i][2];
        sum += (half - I->xx) * x * x + (half - I->yy) * y * y + (half - I->zz) * z * z -
               2.0 * (I->xy * x * y + I->xz * x * z + I->yz * y * z);
    }
    return fmax(sum, 0.0);
}

double rg_auto_distance(const RgModel *model, const RgAutoPlace *a, const RgAutoPlace *b)
{
    double sum = 0.0;
    for (int i = 0; i < model->nbodies; i++) {
        RgVec3 d = v3_sub(a[i].centre, b[i].centre);
        sum += model->bodies[i].inertia.mass * v3_dot(d, d) + turned2(&model->bodies[i].inertia, &a[i].R, &b[i].R);
    }
    return sqrt(sum);
}

double rg_auto_size(const RgModel *model)
{
    double sum = 0.0;
    for (int i = 0; i < model->nbodies; i++) {
        const RgSym3 *I = &model->bodies[i].inertia.I;
        sum += (I->xx + I->yy + I->zz) / 3.0;
    }
    return sqrt(sum);
}

double rg_auto_speed(const RgForm *form, const double *u)
{
    return sqrt(2.0 * fmax(rg_form_kinetic(form, u), 0.0));
}

/* x^(1/k) of a positive x for k = 1, 2, 3: the last bit of a library function differs between machines. */
static double root(double x, int k)
{
    if (k == 1)
        return x;
    if (k == 2)
        return sqrt(x);
    double y = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++)
        y = (2.0 * y + x / (y * y)) / 3.0;
    return y;
}

double rg_auto_next_length(double h, double error, double before, int order)
{
    double e = fmax(error, LEAST_ERROR), e0 = fmin(fmax(before, LEAST_ERROR), 1.0);
    /* e^(-3/4) e0^(1/4), then its k-th root. */
    double ratio = sqrt(sqrt(e0)) / (sqrt(e) * sqrt(sqrt(e)));
    double factor = SAFETY * root(ratio, order);
    return h * fmin(fmax(factor, 1.0 / GROWTH), GROWTH);
}
