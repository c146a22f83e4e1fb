/* one_lane.h - the words of a kernel in scalar arithmetic, lane by lane (four_lanes.h: four at once). */
#ifndef RIGOR_ONE_LANE_H
#define RIGOR_ONE_LANE_H

#include <math.h>
#include <stdbool.h>

#define REAL double
#define MASK bool
#define LANE , int lane
#define LANE_ON , lane
#define LOAD(x) ((x)[lane])
#define STORE(x, a) ((x)[lane] = (a))
#define SPLAT(c) (c)
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define SQRT(a) sqrt(a)
#define FN(name) name##_plain
#define KERNEL static inline

#endif
