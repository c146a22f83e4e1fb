/*
 * scaled_rows.c - see scaled_rows.h. Cost: maximal form, a 3 x 3 product per body term; minimal form, the square of the
 * number of velocities on the path to the root.
 */
#include "constraint/scaled_rows.h"

#include "constraint/inertia_ratio.h"

#include <string.h>

RgScaling *rg_scaling_alloc(RgArena *arena, RgForm *form)
{
    RgScaling *s = RG_ARENA_ALLOC(arena, RgScaling, 1);
    if (s == NULL)
        return NULL;
    const RgModel *m = form->model;
    *s = (RgScaling){.form = form,
                     .body = RG_ARENA_ALLOC(arena, RgScaledBody, m->nbodies),
                     .inertia = RG_ARENA_ALLOC(arena, RgSym3, m->nbodies),
                     .block = RG_ARENA_ALLOC(arena, int, m->nbodies),
                     .work = RG_ARENA_ALLOC(arena, double, form->nu),
                     .columns = RG_ARENA_ALLOC(arena, int, form->nu),
                     .values = RG_ARENA_ALLOC(arena, double, form->nu)};
    if (arena->failed)
        return NULL;
    for (int i = 0; i < m->nbodies; i++) {
        if (form->kind->joints_are_rows)
            s->block[s->nblocks++] = 6 * i;
        else if (m->bodies[i].parent < 0 && m->bodies[i].nv == 6)
            s->block[s->nblocks++] = m->bodies[i].v0;
    }
    return s;
}

/* ------------------------------------------------------------------ maximal form */

/* Directions about which the two bodies of a hinge cannot rotate against each other: the two orthogonal to its axis.
   Returns 0 for kinds without exactly one rotation axis. */
static int forbidden_axes(const RgJointState *J, RgVec3 out[2])
{
    RgVec3 axis = v3_zero();
    int turns = 0;
    for (int k = 0; k < J->nv; k++)
        if (v3_norm2(J->S[k].w) > 0.0) {
            axis = J->S[k].w;
            turns++;
        }
    if (turns != 1)
        return 0;
    axis = v3_scale(1.0 / v3_norm(axis), axis);
    out[0] = v3_orthogonal(axis);
    out[1] = v3_cross(axis, out[0]);
    return 2;
}

/* Moves inertia across every hinge between two moving bodies, in the order of the bodies. */
static void move_inertias(RgScaling *s, RgInertiaRule rule)
{
    const RgForm *form = s->form;
    for (int i = 0; i < form->model->nbodies; i++) {
        int parent = form->model->bodies[i].parent;
        RgVec3 S[2];
        int count = parent >= 0 ? forbidden_axes(&form->joints[i], S) : 0;
        if (count == 0)
            continue;
        RgMat3 R_i = m3_mul(form->kin->X_WB[i].R, form->bodies[i].X_BC.R);
        RgMat3 R_p = m3_mul(form->kin->X_WB[parent].R, form->bodies[parent].X_BC.R);
        RgSym3 child = s3_rotate(s->inertia[i], R_i), parent_inertia = s3_rotate(s->inertia[parent], R_p);
        bool moved = false;
        for (int k = 0; k < count; k++)
            moved = rg_inertia_share(&child, &parent_inertia, S[k], rule) != 0.0 || moved;
        if (!moved)
            continue;
        s->shifted = true;
        s->inertia[i] = s3_rotate(child, m3_transpose(R_i));
        s->inertia[parent] = s3_rotate(parent_inertia, m3_transpose(R_p));
    }
}

/* Cholesky of a body's inertia in its principal axes. */
static void factor_inertia(RgSym3 I, double K[6])
{
    K[0] = sqrt(I.xx);
    K[1] = I.xy / K[0];
    K[2] = sqrt(I.yy - K[1] * K[1]);
    K[3] = I.xz / K[0];
    K[4] = (I.yz - K[3] * K[1]) / K[2];
    K[5] = sqrt(I.zz - K[3] * K[3] - K[4] * K[4]);
}

/* K^-1 x */
static RgVec3 lower_solve(const double K[6], RgVec3 x)
{
    double a = x.x / K[0], b = (x.y - K[1] * a) / K[2];
    return v3(a, b, (x.z - K[3] * a - K[4] * b) / K[5]);
}

static void set_body(RgScaling *s, int i)
{
    const RgForm *form = s->form;
    RgScaledBody *b = &s->body[i];
    RgMat3 R = m3_mul(form->kin->X_WB[i].R, form->bodies[i].X_BC.R);
    factor_inertia(s->inertia[i], b->K);
    b->centre = pose_apply(form->kin->X_WB[i], form->bodies[i].X_BC.p);
    b->root_mass = sqrt(form->bodies[i].mass);
    b->per_root_mass = 1.0 / b->root_mass;
    for (int k = 0; k < 3; k++) {
        RgVec3 column = lower_solve(b->K, v3(R.m[k][0], R.m[k][1], R.m[k][2]));
        b->to.m[0][k] = column.x;
        b->to.m[1][k] = column.y;
        b->to.m[2][k] = column.z;
    }
}

void rg_scaling_set(RgScaling *s, RgInertiaRule rule)
{
    const RgForm *form = s->form;
    const RgModel *m = form->model;
    s->shifted = false;
    if (!form->kind->joints_are_rows) {
        rg_form_factor(s->form);
        for (int i = 0; i < m->nbodies; i++)
            s->body[i].centre = pose_apply(form->kin->X_WB[i], m->bodies[i].inertia.com);
        return;
    }
    for (int i = 0; i < m->nbodies; i++) {
        const double *moment = form->bodies[i].moment;
        s->inertia[i] = (RgSym3){moment[0], moment[1], moment[2], 0.0, 0.0, 0.0};
    }
    if (rule.most > 0.0 || rule.factor > 0.0)
        move_inertias(s, rule);
    for (int i = 0; i < m->nbodies; i++)
        set_body(s, i);
}

/* K' w, and its inverse. */
static void multiply_K_transposed(const double K[6], const double *w, double *out)
{
    double x = w[0], y = w[1], z = w[2];
    out[0] = K[0] * x + K[1] * y + K[3] * z;
    out[1] = K[2] * y + K[4] * z;
    out[2] = K[5] * z;
}

static void solve_K_transposed(const double K[6], const double *w, double *out)
{
    double z = w[2] / K[5], y = (w[1] - K[4] * z) / K[2];
    out[0] = (w[0] - K[1] * y - K[3] * z) / K[0];
    out[1] = y;
    out[2] = z;
}

/* ------------------------------------------------------------------ velocities */

static void scale_maximal(const RgScaling *s, const double *u, double *out)
{
    int n = s->form->model->nbodies;
    for (int i = 0; i < n; i++) {
        multiply_K_transposed(s->body[i].K, u + 6 * i, out + 6 * i);
        for (int k = 3; k < 6; k++)
            out[6 * i + k] = s->body[i].root_mass * u[6 * i + k];
    }
    for (int k = 6 * n; k < s->form->nu; k++)
        out[k] = u[k] / sqrt(s->form->inverse_mass[k]);
}

static void unscale_maximal(const RgScaling *s, const double *in, double *u)
{
    int n = s->form->model->nbodies;
    for (int i = 0; i < n; i++) {
        solve_K_transposed(s->body[i].K, in + 6 * i, u + 6 * i);
        for (int k = 3; k < 6; k++)
            u[6 * i + k] = s->body[i].per_root_mass * in[6 * i + k];
    }
    for (int k = 6 * n; k < s->form->nu; k++)
        u[k] = in[k] * sqrt(s->form->inverse_mass[k]);
}

/* Sum of L_kj x_j over the velocities j above k. */
static double ancestor_sum(const RgMassFactor *f, int k, const double *x)
{
    const double *row = f->L + (size_t)k * f->stride;
    double sum = 0.0;
    for (int j = f->model->dof_parent[k]; j >= 0; j = f->model->dof_parent[j])
        sum += row[j] * x[j];
    return sum;
}

void rg_scale_velocity(const RgScaling *s, const double *u, double *out)
{
    const RgMassFactor *f = &s->form->factor;
    if (s->form->kind->joints_are_rows) {
        scale_maximal(s, u, out);
        return;
    }
    for (int k = s->form->nu - 1; k >= 0; k--)
        out[k] = f->inverse_d[k] > 0.0 ? (u[k] + ancestor_sum(f, k, u)) / sqrt(f->inverse_d[k]) : 0.0;
}

void rg_unscale_velocity(const RgScaling *s, const double *scaled, double *u)
{
    const RgMassFactor *f = &s->form->factor;
    if (s->form->kind->joints_are_rows) {
        unscale_maximal(s, scaled, u);
        return;
    }
    for (int k = 0; k < s->form->nu; k++)
        if (f->inverse_d[k] > 0.0)
            u[k] = scaled[k] * sqrt(f->inverse_d[k]) - ancestor_sum(f, k, u);
}

void rg_scaling_reapply_impulse(const RgScaling *s, const double *u0, double *u)
{
    for (int i = 0; i < s->form->model->nbodies && s->shifted; i++) {
        const double *moment = s->form->bodies[i].moment;
        double *w = u + 6 * i;
        RgVec3 push = {moment[0] * (w[0] - u0[6 * i]), moment[1] * (w[1] - u0[6 * i + 1]),
                       moment[2] * (w[2] - u0[6 * i + 2])};
        RgVec3 half = lower_solve(s->body[i].K, push);
        double dw[3] = {half.x, half.y, half.z};
        solve_K_transposed(s->body[i].K, dw, dw);
        for (int k = 0; k < 3; k++)
            w[k] = u0[6 * i + k] + dw[k];
    }
}

double rg_scaling_energy_shift(const RgScaling *s, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < s->form->model->nbodies && s->shifted; i++) {
        const double *w = u + 6 * i, *moment = s->form->bodies[i].moment;
        double root[3];
        multiply_K_transposed(s->body[i].K, w, root);
        for (int k = 0; k < 3; k++)
            sum += 0.5 * (moment[k] * w[k] * w[k] - root[k] * root[k]);
    }
    return sum;
}

/* ------------------------------------------------------------------ rows */

/* Converts count values over u at these columns to values over s. */
static void scale_maximal_row(const RgScaling *s, int count, const int *columns, double *values)
{
    int n = s->form->model->nbodies;
    for (int e = 0; e < count;) {
        int body = columns[e] / 6;
        if (body >= n) {
            values[e] *= sqrt(s->form->inverse_mass[columns[e]]);
            e++;
            continue;
        }
        RgVec3 half = lower_solve(s->body[body].K, v3(values[e], values[e + 1], values[e + 2]));
        values[e] = half.x;
        values[e + 1] = half.y;
        values[e + 2] = half.z;
        for (int k = 3; k < 6; k++)
            values[e + k] *= s->body[body].per_root_mass;
        e += 6;
    }
}

/* Applies L'^-1, then D^-1/2, to the listed velocities (descending, with all ancestors of each). x: in, J'; out, zero.
   values: the result in ascending order. */
static void half_solve(const RgScaling *s, int count, const int *descending, double *x, double *values)
{
    const RgMassFactor *f = &s->form->factor;
    const RgModel *m = s->form->model;
    for (int c = 0; c < count; c++) {
        int k = descending[c];
        const double *row = f->L + (size_t)k * f->stride;
        for (int j = m->dof_parent[k]; j >= 0; j = m->dof_parent[j])
            x[j] -= row[j] * x[k];
    }
    for (int c = 0; c < count; c++) {
        int k = descending[c];
        values[count - 1 - c] = x[k] * sqrt(f->inverse_d[k]);
        x[k] = 0.0;
    }
}

/* Lists the velocities on the paths from two velocities (-1: none) to the root, descending; returns their number. */
static int merge_paths(const RgModel *m, int a, int b, int *out)
{
    int n = 0;
    while (a >= 0 || b >= 0) {
        int k = a > b ? a : b;
        out[n++] = k;
        a = a == k ? m->dof_parent[a] : a;
        b = b == k ? m->dof_parent[b] : b;
    }
    return n;
}

/* Coefficients of one body, maximal form. */
static void write_body(const RgScaling *s, int body, RgForce f, double *values)
{
    const RgScaledBody *b = &s->body[body];
    RgVec3 n = m3_apply(b->to, f.n);
    values[0] = n.x;
    values[1] = n.y;
    values[2] = n.z;
    values[3] = b->per_root_mass * f.f.x;
    values[4] = b->per_root_mass * f.f.y;
    values[5] = b->per_root_mass * f.f.z;
}

/* Coefficients of a row without joint velocities, maximal form. */
static int scale_body_row(const RgScaling *s, const RgRow *row, int *columns, double *values)
{
    int count = 0, done = -1;
    for (int n = 0; n < row->nbodies; n++) {
        /* The next body in ascending order. */
        int next = -1;
        for (int i = 0; i < row->nbodies; i++)
            if (row->body[i] > done && (next < 0 || row->body[i] < row->body[next]))
                next = i;
        int body = done = row->body[next];
        RgVec3 to_centre = v3_sub(s->body[body].centre, s->form->kin->X_WB[body].p);
        write_body(s, body, fv_shift(row->J[next], to_centre), values + count);
        for (int k = 0; k < 6; k++)
            columns[count++] = 6 * body + k;
    }
    return count;
}

int rg_scaled_row(RgScaling *s, const RgRow *row, int *columns, double *values)
{
    const RgForm *form = s->form;
    double bias;
    if (form->kind->joints_are_rows && row->ndofs == 0 && row->rotor < 0)
        return scale_body_row(s, row, columns, values);
    int count = rg_row_project(form, row, columns, values, &bias);
    if (form->kind->joints_are_rows) {
        scale_maximal_row(s, count, columns, values);
        return count;
    }

    /* All ancestors of the row's velocities. */
    for (int e = 0; e < count; e++)
        s->work[columns[e]] = values[e];
    int n = 0;
    for (int e = count - 1; e >= 0; e--) {
        bool listed = false;
        for (int i = 0; i < n && !listed; i++)
            listed = s->columns[i] == columns[e];
        if (listed)
            continue;
        for (int k = columns[e], at; k >= 0; k = form->model->dof_parent[k]) {
            for (at = n; at > 0 && s->columns[at - 1] < k; at--)
                continue;
            if (at > 0 && s->columns[at - 1] == k)
                break;
            memmove(s->columns + at + 1, s->columns + at, (size_t)(n - at) * sizeof *s->columns);
            s->columns[at] = k;
            n++;
        }
    }
    half_solve(s, n, s->columns, s->work, values);
    for (int i = 0; i < n; i++)
        columns[i] = s->columns[n - 1 - i];
    return n;
}

/* Last velocity of a body, or of the nearest ancestor that has any. */
static int last_dof(const RgModel *m, int body)
{
    while (body >= 0 && m->bodies[body].nv == 0)
        body = m->bodies[body].parent;
    return body >= 0 ? m->bodies[body].v0 + m->bodies[body].nv - 1 : -1;
}

int rg_scaled_pair_columns(RgScaling *s, int a, int b, int *columns)
{
    int count = 0;
    if (!s->form->kind->joints_are_rows) {
        count = merge_paths(s->form->model, last_dof(s->form->model, a), last_dof(s->form->model, b), s->columns);
        for (int i = 0; i < count; i++)
            columns[i] = s->columns[count - 1 - i];
        return count;
    }
    int first = a < b ? a : b, second = a < b ? b : a;
    for (int k = 0; k < 6 && first >= 0; k++)
        columns[count++] = 6 * first + k;
    for (int k = 0; k < 6 && second >= 0; k++)
        columns[count++] = 6 * second + k;
    return count;
}

/* Adds J' f of the minimal form to work, f a wrench about the body's centre. */
static void add_wrench(const RgScaling *s, int body, RgForce f)
{
    RgVec3 to_origin = v3_sub(s->form->kin->X_WB[body].p, s->body[body].centre);
    rg_form_push(s->form, body, fv_shift(f, to_origin), s->work);
}

void rg_scaled_pair(RgScaling *s, int a, RgForce g, int b, RgForce f, double *values)
{
    if (s->form->kind->joints_are_rows) {
        int place_b = a >= 0 && b > a ? 6 : 0, place_a = b >= 0 && a > b ? 6 : 0;
        if (a >= 0)
            write_body(s, a, fv_scale(-1.0, g), values + place_a);
        if (b >= 0)
            write_body(s, b, f, values + place_b);
        return;
    }
    int count = merge_paths(s->form->model, last_dof(s->form->model, a), last_dof(s->form->model, b), s->columns);
    if (a >= 0)
        add_wrench(s, a, fv_scale(-1.0, g));
    if (b >= 0)
        add_wrench(s, b, f);
    half_solve(s, count, s->columns, s->work, values);
}
