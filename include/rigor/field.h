/*
 * field.h - damping fields: regions in which bodies are slowed.
 *
 * A body whose centre of mass is inside the region is damped relative to the field's velocity (that of the carrying
 * link at the body's centre of mass; 0 for the world):
 *
 *   force at the centre   -linear m (v - v_field)          torque   -angular I (w - w_field)
 *
 * A free body decays as exp(-linear t) and exp(-angular t), independent of its mass, and its terminal velocity is
 * gravity / linear. The reaction acts on the carrying link. With implicit damping (RgWorldDef.implicit_damping) the
 * forces act at the end of the step; for a free body v1 = (v0 + h a) / (1 + h linear): stable for any coefficient,
 * without energy gain. Bodies that joints hold, or whose field another body carries, keep at least 1e-4 of their
 * velocity in a step (rates above 1e4 / h act like that one). Explicit steppers treat fields like joint dampers. In
 * overlapping fields only the first one in the list acts. Welded links are one body. A body that enters or leaves a
 * field is an event (RG_EVENT_enter, RG_EVENT_exit) of the step at whose end it is in or out.
 */
#ifndef RIGOR_FIELD_H
#define RIGOR_FIELD_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes, m, about the frame's origin: box: edge lengths; sphere: radius; cylinder: radius, length along z. */
#define RG_FIELD_LIST(X) X(box) X(sphere) X(cylinder)

typedef enum RgFieldShape {
#define RG_FIELD_ENUM(name) RG_FIELD_##name,
    RG_FIELD_LIST(RG_FIELD_ENUM)
#undef RG_FIELD_ENUM
        RG_FIELD_COUNT
} RgFieldShape;
RG_API const char *rg_field_shape_name(RgFieldShape shape); /* NULL: no such shape */
RG_API int rg_field_shape_numbers(RgFieldShape shape);      /* number of entries of size in use */

typedef struct RgFieldDef {
    uint32_t cookie;
    const char *name; /* in events; copied when the world is made; NULL: "" */
    RgLinkId link;    /* null id: the world */
    RgPose X_LF;      /* field frame on the link */
    RgFieldShape shape;
    double size[3];
    double linear, angular; /* damping rates, 1/s, at least 0 */
} RgFieldDef;
RG_API RgFieldDef rg_field_def_default(void); /* cube of 1 m at the world's origin, damping rates 0 */

#ifdef __cplusplus
}
#endif
#endif
