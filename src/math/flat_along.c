/* flat_along.c - secants within a bracket, and its halving in turn (flat_along.h). */
#include "math/flat_along.h"

#include <math.h>
#include <stdbool.h>

/* Flat enough, of the first slope; tries; a secant stays this part of the bracket away from its ends. */
#define FLAT 0.1
#define TRIES 20
#define EDGE 0.05

double rg_flat_along(double (*slope)(const void *context, double part), const void *context)
{
    double low = 0.0, high = 1.0, at_low = slope(context, 0.0), at_high = slope(context, 1.0), part = 1.0;
    double enough = FLAT * fabs(at_low);
    if (at_high <= enough)
        return 1.0;
    for (int k = 0; k < TRIES; k++) {
        double width = high - low, secant = low - at_low * width / (at_high - at_low);
        bool halve = k % 2 != 0;
        part = halve ? 0.5 * (low + high) : fmin(fmax(secant, low + EDGE * width), high - EDGE * width);
        double at = slope(context, part);
        if (fabs(at) <= enough)
            break;
        *(at > 0.0 ? &high : &low) = part;
        *(at > 0.0 ? &at_high : &at_low) = at;
    }
    return part;
}
