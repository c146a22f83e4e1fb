/* colour.h - colours of visual shapes, as files give them. A colour that is not given has NaN for its red. */
#ifndef RIGOR_COLOUR_H
#define RIGOR_COLOUR_H

#include "scene/reader.h"

/* URDF materials by their names: those of the robot, and those that a visual defines for others to use. */
typedef struct RgColours {
    RgNameMap names;
    double (*values)[4];
    int count;
} RgColours;

/* False: memory is out. */
bool rg_urdf_colours_collect(RgReader *reader, const RgXml *robot, RgColours *out);

/* The colour of a <visual>. */
void rg_urdf_colour(const RgColours *colours, const RgXml *visual, double colour[4]);
void rg_sdf_colour(const RgXml *visual, double colour[4]);

#endif
