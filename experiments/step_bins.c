/* step_bins.c - see step_bins.h. */
#include "step_bins.h"

#include <math.h>

#define PER_DECADE 5
#define FIRST 1e-10 /* s: left end of the first bin */

int step_bin(double h)
{
    int bin = (int)floor(log10(h / FIRST) * PER_DECADE);
    return bin < 0 ? 0 : bin >= RG_STEP_BINS ? RG_STEP_BINS - 1 : bin;
}

static double left_end(int bin)
{
    return FIRST * pow(10.0, (double)bin / PER_DECADE);
}

void step_bins_draw(LabFigure *figure, const int64_t bins[RG_STEP_BINS], const char *name)
{
    int64_t all = 0;
    for (int i = 0; i < RG_STEP_BINS; i++)
        all += bins[i];
    lab_curve(figure, LAB_STEPS, "%s: %lld steps", name, (long long)all);
    for (int i = 0; i < RG_STEP_BINS; i++) {
        if (bins[i] == 0)
            continue;
        lab_point(figure, left_end(i), (double)bins[i]);
        if (i + 1 == RG_STEP_BINS || bins[i + 1] == 0) {
            lab_point(figure, left_end(i + 1), (double)bins[i]);
            lab_point(figure, (double)NAN, (double)NAN);
        }
    }
}
