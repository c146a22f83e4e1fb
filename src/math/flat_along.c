/* flat_along.c - line search by alternating secant and bisection steps in a bracket (flat_along.h). */
#include "math/flat_along.h"

#include <math.h>
#include <stdbool.h>

#define FLAT_FRACTION 0.1 /* of the initial slope: accepted slope */
#define MAX_ITERATIONS 20
#define EDGE_FRACTION 0.05 /* of the bracket: least distance of a secant step from its ends */

double rg_line_search(double (*slope)(const void *context, double part), const void *context)
{
    double low = 0.0, high = 1.0, at_low = slope(context, 0.0), at_high = slope(context, 1.0), part = 1.0;
    double tolerance = FLAT_FRACTION * fabs(at_low);
    if (at_high <= tolerance)
        return 1.0;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double width = high - low, secant = low - at_low * width / (at_high - at_low);
        bool halve = k % 2 != 0;
        part =
            halve ? 0.5 * (low + high) : fmin(fmax(secant, low + EDGE_FRACTION * width), high - EDGE_FRACTION * width);
        double slope_here = slope(context, part);
        if (fabs(slope_here) <= tolerance)
            break;
        *(slope_here > 0.0 ? &high : &low) = part;
        *(slope_here > 0.0 ? &at_high : &at_low) = slope_here;
    }
    return part;
}
