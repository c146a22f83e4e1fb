/* touch_fixture.h - shapes at poses, each on a body of its own, in one form, with what of them touches. */
#ifndef TEST_UNIT_TOUCH_FIXTURE_H
#define TEST_UNIT_TOUCH_FIXTURE_H

#include "contact/touch_set.h"
#include "scene_parts.h"
#include "unit/coords/form_fixture.h"

/* A shape that floats, or stands still where mass is 0. */
typedef struct TouchShape {
    RgShapeType type;
    double size[3];
    RgPose X_WS;
    double mass;
    const double *points; /* polytope: 3 npoints */
    int npoints;
} TouchShape;

typedef struct TouchCase {
    RgModel *model;
    FormCase f;
    RgContactScene *scene;
    RgTouchSet set;
} TouchCase;

static const TouchShape touch_floor = {
    .type = RG_SHAPE_halfspace, .X_WS = {{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.0, 0.0, 0.0}}};

static inline TouchShape touch_box(double x, double y, double z, RgPose X_WS)
{
    return (TouchShape){.type = RG_SHAPE_box, .size = {x, y, z}, .X_WS = X_WS, .mass = 1.0};
}

/* Places the colliders at x of the form. */
static inline void touch_place(TouchCase *t)
{
    t->f.form->kind->kinematics(t->f.form, t->f.x, t->f.u);
    rg_constraints_observe(t->f.c);
    cr_assert(rg_contact_scene_place(t->scene, t->f.form->kin) == RG_OK);
}

static inline TouchCase touch_case_of(RgModel *model, const char *coords)
{
    RgError error = {0};
    RgAllocator allocator = {0};
    TouchCase t = {.model = model, .f = form_case(model, coords)};
    t.scene = rg_contact_scene_create(model, &allocator, &error);
    cr_assert(t.scene != NULL, "%s", error.text);
    cr_assert(rg_touch_set_init(&t.set, &allocator));
    double *q = calloc((size_t)model->nq + 1, sizeof *q), *v = calloc((size_t)model->nv + 1, sizeof *v);
    rg_model_neutral(model, q);
    form_set(&t.f, q, v);
    free(q);
    free(v);
    touch_place(&t);
    return t;
}

static inline TouchCase touch_case(const TouchShape *shapes, int count, const char *coords)
{
    RgBuilder *b = scene_begin("touch");
    for (int i = 0; i < count; i++) {
        const TouchShape *s = &shapes[i];
        RgShapeDef def = rg_shape_def_default();
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        def.type = s->type;
        memcpy(def.size, s->size, sizeof def.size);
        if (s->type == RG_SHAPE_polytope) {
            def.size[0] = def.size[1] = def.size[2] = 1.0;
            def.mesh = (RgMeshData){.vertices = s->points, .nvertices = s->npoints};
        }
        if (s->mass > 0.0) {
            RgInertia inertia = inertia_box(s->mass, vec(0.01, -0.02, 0.03), vec(0.9, 1.0, 1.1));
            def.link = link_add_at(b, name, inertia, s->X_WS);
        } else {
            def.X_LS = s->X_WS;
        }
        cr_assert(rg_builder_add_shape(b, &def).i > 0, "%s", rg_builder_error(b)->text);
    }
    return touch_case_of(scene_end(b), coords);
}

static inline void touch_end(TouchCase *t)
{
    rg_touch_set_free(&t->set);
    rg_contact_scene_destroy(t->scene);
    form_case_end(&t->f);
    rg_model_destroy(t->model);
}

static inline RgPose touch_pose(const TouchCase *t, int body)
{
    return body >= 0 ? t->f.form->kin->X_WB[body] : pose_identity();
}

/* The gap as the bodies stand. */
static inline RgGapAt touch_at(const TouchCase *t, const RgGap *gap)
{
    RgPose A = touch_pose(t, gap->body_a), B = touch_pose(t, gap->body_b);
    return rg_gap_at(gap, &A, &B);
}

#endif
