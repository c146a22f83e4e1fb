/* trig_array.c - rg_sincos over an array: branch-free lanes for ordinary angles, then the rare large ones one by one. */
#include "math/trig_array.h"

#include "math/trig.h"

void rg_sincos_array(int n, const double *restrict angle, double *restrict sine, double *restrict cosine)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fabs(angle[i]) > largest ? fabs(angle[i]) : largest;
    for (int i = 0; i < n; i++)
        rg_sincos_small(angle[i], &sine[i], &cosine[i]);
    if (largest <= RG_TRIG_LIMIT)
        return;
    for (int i = 0; i < n; i++)
        rg_sincos(angle[i], &sine[i], &cosine[i]);
}
