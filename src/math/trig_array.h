/* trig_array.h - sines and cosines of many angles in one vectorised loop, with the bits of rg_sincos. */
#ifndef RIGOR_TRIG_ARRAY_H
#define RIGOR_TRIG_ARRAY_H

void rg_sincos_array(int n, const double *angle, double *sine, double *cosine);

#endif
