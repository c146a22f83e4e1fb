/* flat_along.h - how far along a step a convex function is flat. */
#ifndef RIGOR_FLAT_ALONG_H
#define RIGOR_FLAT_ALONG_H

/* slope: of the function so far along the step, rising with it. Returns a part of the step, at most 1, at which the
   slope is at most a tenth of the first, up or down; 1 where it still falls there. By secants and halving in turn. */
double rg_flat_along(double (*slope)(const void *context, double part), const void *context);

#endif
