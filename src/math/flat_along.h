/* flat_along.h - line search on a convex function. */
#ifndef RIGOR_FLAT_ALONG_H
#define RIGOR_FLAT_ALONG_H

/* slope: derivative of the function along the step at the given part of it, increasing. Returns a part of the step in
   (0, 1] at which |slope| is at most a tenth of its initial value; 1 if the function still decreases there. */
double rg_line_search(double (*slope)(const void *context, double part), const void *context);

#endif
