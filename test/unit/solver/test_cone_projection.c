/*
 * test_cone_projection.c - impulses brought back to cones, discs, ellipses and intervals: nearest points against a
 * search over the boundary, derivatives against differences, radii against points drawn on the edge.
 */
#include "check_near.h"
#include "draw.h"
#include "solver/cone_projection.h"

#include <string.h>

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* Nearest distance of x to K(mu): rays (1, mu cos a, mu sin a) n, the best n of each; finer round the best. */
static double nearest_ray(double mu, const double x[3])
{
    double best = distance(x, (double[3]){0.0}, 3), at = 0.0, wide = 3.2;
    if (sqrt(x[1] * x[1] + x[2] * x[2]) <= mu * x[0])
        return 0.0;
    for (int round = 0; round < 12; round++, wide *= 0.1) {
        double centre = at;
        for (int k = -100; k <= 100; k++) {
            double a = centre + wide * k / 100.0, ray[3] = {1.0, mu * cos(a), mu * sin(a)};
            double n = fmax((x[0] + ray[1] * x[1] + ray[2] * x[2]) / (1.0 + mu * mu), 0.0);
            for (int j = 0; j < 3; j++)
                ray[j] *= n;
            if (distance(x, ray, 3) < best) {
                best = distance(x, ray, 3);
                at = a;
            }
        }
    }
    return best;
}

Test(cone_projection, cone_is_the_nearest_of_all_rays)
{
    Draw d = draw_seed(21);
    int places[3] = {0};
    for (int trial = 0; trial < 300; trial++) {
        double mu = draw_between(&d, 0.0, 2.0), x[3], y[3];
        for (int k = 0; k < 3; k++)
            y[k] = x[k] = draw_between(&d, -1.0, 1.0);
        RgConePoint p = cone_project(mu, y);
        places[p.place]++;
        cr_expect(sqrt(y[1] * y[1] + y[2] * y[2]) <= mu * y[0] + 1e-15, "outside by trial %d", trial);
        CHECK_NEAR(distance(x, y, 3), nearest_ray(mu, x), 1e-12, "N s");
        double again[3] = {y[0], y[1], y[2]};
        cone_project(mu, again);
        CHECK_NEAR_ALL(again, y, 3, 1e-15, "N s");
    }
    cr_expect(places[RG_CONE_TIP] > 10 && places[RG_CONE_INSIDE] > 10 && places[RG_CONE_EDGE] > 10);
}

Test(cone_projection, slope_of_the_cone_against_differences)
{
    Draw d = draw_seed(22);
    for (int trial = 0; trial < 300; trial++) {
        double mu = draw_between(&d, 0.1, 2.0), x[3], y[3], slope[9];
        for (int k = 0; k < 3; k++)
            y[k] = x[k] = draw_between(&d, -1.0, 1.0);
        RgConePoint p = cone_project(mu, y);
        cone_project_slope(&p, slope);
        double t = sqrt(x[1] * x[1] + x[2] * x[2]);
        if (fabs(t - mu * x[0]) < 1e-3 || fabs(mu * t + x[0]) < 1e-3 || t < 1e-2)
            continue; /* a kink */
        for (int j = 0; j < 3; j++) {
            double ahead[3], back[3];
            memcpy(ahead, x, sizeof ahead);
            memcpy(back, x, sizeof back);
            ahead[j] += 1e-6;
            back[j] -= 1e-6;
            cone_project(mu, ahead);
            cone_project(mu, back);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(slope[3 * i + j], (ahead[i] - back[i]) / 2e-6, 1e-6, "1");
        }
    }
}

Test(cone_projection, discs_and_ellipses_along_the_radius)
{
    Draw d = draw_seed(23);
    for (int trial = 0; trial < 1000; trial++) {
        double x[2] = {draw_between(&d, -2.0, 2.0), draw_between(&d, -2.0, 2.0)}, turn, forward, back;
        double size = sqrt(x[0] * x[0] + x[1] * x[1]), dir[2] = {x[0] / size, x[1] / size};
        double a = draw_between(&d, 0.1, 1.0), b = draw_between(&d, 0.1, 1.0), y[2] = {x[0], x[1]};
        double radius = ellipse_radius(a, b, dir, &turn), reach = fmin(radius, size);
        CHECK_NEAR(pow(radius * dir[0] / a, 2.0) + pow(radius * dir[1] / b, 2.0), 1.0, 1e-13, "1");
        ellipse_retract(a, b, &y[0], &y[1]);
        CHECK_NEAR_ALL(y, ((double[]){reach * dir[0], reach * dir[1]}), 2, 1e-14, "N s");

        /* The radius by the direction. */
        double s = 1e-6, unused, to[2] = {dir[0] - s * dir[1], dir[1] + s * dir[0]};
        forward = ellipse_radius(a, b, to, &unused);
        to[0] = dir[0] + s * dir[1];
        to[1] = dir[1] - s * dir[0];
        back = ellipse_radius(a, b, to, &unused);
        CHECK_NEAR(turn, (forward - back) / (2.0 * s * radius), 1e-7, "1");

        double z[2] = {x[0], x[1]}, w[2] = {x[0], x[1]}, edge[2] = {x[0], x[1]};
        disc_retract(a, false, z);
        disc_retract(a, true, edge);
        RgConePoint p = disc_project(a, w);
        CHECK_NEAR_ALL(w, z, 2, 1e-15, "N s");
        CHECK_NEAR(sqrt(edge[0] * edge[0] + edge[1] * edge[1]), a, 1e-15, "N s");
        cr_expect((p.place == RG_CONE_EDGE) == (size > a));
    }
    double x = 2.0, y = -3.0; /* friction along one axis only */
    ellipse_retract(0.5, 0.0, &x, &y);
    cr_expect(x == 0.5 && y == 0.0);
}

Test(cone_projection, rows_by_their_class)
{
    int normal[4] = {-1, 0, 0, -1};
    uint8_t class[4] = {RG_ROW_NORMAL, RG_ROW_FRICTION, RG_ROW_FRICTION, RG_ROW_BOUNDED};
    double low[4] = {0.0, 0.0, 0.0, -1.0}, high[4] = {INFINITY, 0.5, 0.25, 2.0}, z[4] = {4.0, 0.0, 0.0, 0.0};
    RgProblem p = {.n = 4, .normal = normal, .row_class = class, .low = low, .high = high, .z = z};
    cr_expect(row_project(&p, 0, 0.0, -1.0) == 0.0 && row_project(&p, 0, 0.0, 7.0) == 7.0);
    cr_expect(row_normal(&p, 1) == 4.0 && row_normal(&p, 0) == 0.0);
    cr_expect(row_project(&p, 1, 4.0, -9.0) == -2.0 && row_project(&p, 2, 4.0, 9.0) == 1.0);
    cr_expect(row_project(&p, 3, 0.0, 9.0) == 2.0 && row_project(&p, 3, 0.0, -9.0) == -1.0);
    double x = 8.0, y = 0.0;
    pair_project(&p, 1, 4.0, &x, &y);
    cr_expect(x == 2.0 && y == 0.0);
    z[0] = -1.0;
    cr_expect(row_normal(&p, 1) == 0.0);
}
