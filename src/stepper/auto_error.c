/*
 * auto_error.c - the distance of two ends of the same step, in one number for all kinds of joints and both forms.
 *
 *   distance   d^2 = sum over bodies of  m |c1 - c2|^2 + tr((R1 - R2) J (R1 - R2)'),   J = tr(I)/2 1 - I
 *
 * the integral over all mass of the squared distance: it does not depend on coordinates, weighs metres and radians by
 * what they move, and d / sqrt(m) is a length, the mean distance. Its rate is the root of twice the kinetic energy:
 *
 *   speed      v^2 = 2 T(u)
 *
 * Length of the next step (Gustafsson 1991, proportional and integral), e the error as a part of the tolerance, of
 * order h^k:
 *
 *   h' = h 0.9 e^(-0.7/k) e0^(0.4/k)      within 1/5 h and 5 h
 */
#include "stepper/auto.h"

#define SAFETY 0.9
#define GROWTH 5.0

/* No error is less than this part of what is allowed: the next step is longer by no more than GROWTH anyway. */
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

double rg_auto_apart(const RgModel *model, const RgAutoPlace *a, const RgAutoPlace *b)
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

double rg_auto_next(double h, double error, double before, int order)
{
    double e = fmax(error, LEAST_ERROR), e0 = fmin(fmax(before, LEAST_ERROR), 1.0);
    /* e^(-0.75) e0^(0.25) before the order's root: nearly the proportional and integral gains above, by square
       roots. */
    double ratio = sqrt(sqrt(e0)) / (sqrt(e) * sqrt(sqrt(e)));
    double factor = SAFETY * root(ratio, order);
    return h * fmin(fmax(factor, 1.0 / GROWTH), GROWTH);
}
