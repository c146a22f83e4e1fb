/* colour.h - colours (red, green, blue, opacity from 0 to 1) of visual shapes. Without a colour red stays NaN. */
#ifndef RIGOR_COLOUR_H
#define RIGOR_COLOUR_H

#include "scene/reader.h"

/* URDF materials by name: those of the robot, and those that a visual defines. */
typedef struct RgColours {
    RgNameMap names;
    double (*values)[4];
    int count;
} RgColours;

/* Collects the materials of a <robot>. False: out of memory. */
bool rg_urdf_colours_collect(RgReader *reader, const RgXml *robot, RgColours *out);

/* Sets the colour of a <visual>; unchanged if the file gives none. */
void rg_urdf_colour(const RgColours *colours, const RgXml *visual, double colour[4]);
void rg_sdf_colour(const RgXml *visual, double colour[4]);

#endif
