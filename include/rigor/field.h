/*
 * field.h - damping fields: regions in which bodies are slowed.
 *
 * A body whose centre of mass is inside is pulled towards the field's own velocity (of the link that carries it, at the
 * body's centre; 0 for the world):
 *
 *   force at the centre   -linear m (v - v_field)          torque   -angular I (w - w_field)
 *
 * so a body alone decays as exp(-linear t) and exp(-angular t), whatever its mass, and falls at gravity / linear in the
 * end. The carrying link takes the opposite. With implicit damping (RgWorldDef.implicit_damping) they act at the end of
 * the step, v1 = (v0 + h a) / (1 + h linear) of a body alone: stable for any coefficient, and never a gain of energy.
 * Explicit steppers take them as they take dampers. A body inside several fields is slowed by the first of them. Links
 * welded together are one body.
 */
#ifndef RIGOR_FIELD_H
#define RIGOR_FIELD_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* box: edge lengths; sphere: radius; cylinder: radius and length along z. m, about the frame's origin. */
#define RG_FIELD_LIST(X) X(box) X(sphere) X(cylinder)

typedef enum RgFieldShape {
#define RG_FIELD_ENUM(name) RG_FIELD_##name,
    RG_FIELD_LIST(RG_FIELD_ENUM)
#undef RG_FIELD_ENUM
        RG_FIELD_COUNT
} RgFieldShape;
RG_API const char *rg_field_shape_name(RgFieldShape shape); /* NULL: none such */
RG_API int rg_field_shape_numbers(RgFieldShape shape);      /* of size that count */

typedef struct RgFieldDef {
    uint32_t cookie;
    RgLinkId link; /* null id: the world */
    RgPose X_LF;   /* of the region on it */
    RgFieldShape shape;
    double size[3];
    double linear, angular; /* 1/s, not negative; 0: no such damping */
} RgFieldDef;
RG_API RgFieldDef rg_field_def_default(void); /* a cube of 1 m at the world's origin, coefficients 0 */

#ifdef __cplusplus
}
#endif
#endif
