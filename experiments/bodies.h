/* bodies.h - models in code: free bodies of one shape each over a floor, for experiments. Velocities: located_run.h. */
#ifndef RIGOR_EXPERIMENT_BODIES_H
#define RIGOR_EXPERIMENT_BODIES_H

#include "experiment.h"

/* Friction, and Newton's restitution at any speed; the correction of overlaps is not limited. */
RgSurfaceDef bodies_surface(double mu, double restitution);

typedef struct BodyDef {
    const char *name;
    RgShapeType type;
    double size[3]; /* as RgShapeDef has it */
    double mass;    /* uniform */
    RgVec3 p;       /* of its centre; not rotated */
    RgSurfaceDef surface;
} BodyDef;

/* Errors are reported by bodies_end. */
RgLinkId bodies_add(RgBuilder *b, const BodyDef *def);
/* The half-space z <= 0. */
void bodies_add_floor(RgBuilder *b, const RgSurfaceDef *surface);

/* Compiles the model and destroys the builder. NULL: the experiment has failed, with a message. */
RgModel *bodies_end(Lab *lab, RgBuilder *b);

#endif
