/*
 * certificate_shapes.c - header of a certificate: bodies and their tree, shapes, pairs that may touch.
 *
 * Shapes are written as the contact stage uses them: the mesh of a moving body as the convex hulls of its parts, the
 * mesh of a fixed body as its triangles.
 */
#include "certificate/certificate_out.h"
#include "collision/space.h"
#include "geom/geometry.h"
#include "sim/world_internal.h"

#include <stdio.h>
#include <string.h>

static void write_body(RgCertificateOut *out, const RgModel *m, int i)
{
    const RgBody *b = &m->bodies[i];
    rg_out_word(out, "body");
    rg_out_whole(out, i);
    rg_out_whole(out, b->parent);
    rg_out_vector(out, b->inertia.com);
    rg_out_word(out, b->kind->name);
    rg_out_whole(out, b->q0);
    rg_out_whole(out, b->v0);
    rg_out_pose(out, &b->X_PF);
    rg_out_number(out, b->geometry.turn);
    rg_out_number(out, b->geometry.slide);
    rg_out_vector(out, b->geometry.axis1);
    rg_out_name(out, m->links[b->link].def.name);
    rg_out_line(out);
}

/* ------------------------------------------------------------------ shapes */

/* A shape that one line describes: its kind and sizes. */
static void write_primitive(RgCertificateOut *out, const RgShape *shape, int sizes)
{
    rg_out_word(out, rg_shape_type_name(shape->type));
    for (int i = 0; i < sizes; i++)
        rg_out_number(out, shape->size[i]);
    rg_out_line(out);
}

static void write_corner(RgCertificateOut *out, RgVec3 x)
{
    rg_out_word(out, "v");
    rg_out_vector(out, x);
    rg_out_line(out);
}

static void write_polytope(RgCertificateOut *out, const RgPolytope *p)
{
    rg_out_word(out, "polytope");
    rg_out_whole(out, p->nv);
    rg_out_whole(out, p->nf);
    rg_out_line(out);
    for (int32_t i = 0; i < p->nv; i++)
        write_corner(out, p->vertex[i]);
    for (int32_t f = 0; f < p->nf; f++) {
        rg_out_word(out, "f");
        rg_out_whole(out, p->face_start[f + 1] - p->face_start[f]);
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++)
            rg_out_whole(out, p->face_vertex[k]);
        rg_out_line(out);
    }
}

static void write_surface(RgCertificateOut *out, const RgSurface *surface)
{
    int32_t n = rg_surface_count(surface);
    rg_out_word(out, "surface");
    rg_out_whole(out, 3 * (int64_t)n);
    rg_out_whole(out, n);
    rg_out_line(out);
    for (int32_t i = 0; i < n; i++) {
        RgTriangle triangle;
        rg_surface_triangle(surface, i, &triangle);
        for (int k = 0; k < 3; k++)
            write_corner(out, triangle.vertex[k]);
    }
    for (int32_t i = 0; i < n; i++) {
        rg_out_word(out, "f 3");
        for (int k = 0; k < 3; k++)
            rg_out_whole(out, 3 * (int64_t)i + k);
        rg_out_line(out);
    }
}

/* Number of sizes on the line of a kind; -1: it has corners. */
static int sizes_of(RgShapeType type)
{
    static const int sizes[RG_SHAPE_COUNT] = {
        [RG_SHAPE_sphere] = 1,    [RG_SHAPE_box] = 3,       [RG_SHAPE_capsule] = 2,
        [RG_SHAPE_cylinder] = 2,  [RG_SHAPE_ellipsoid] = 3, [RG_SHAPE_polytope] = -1,
        [RG_SHAPE_halfspace] = 0, [RG_SHAPE_mesh] = -1,     [RG_SHAPE_heightfield] = -1,
    };
    return sizes[type];
}

static void write_shape(RgCertificateOut *out, const RgContactScene *scene, int i)
{
    const RgModel *m = scene->model;
    const RgGeometry *geometry = scene->geometry[i];
    bool solid = geometry != NULL && geometry->surface == NULL;
    rg_out_word(out, "shape");
    rg_out_whole(out, i);
    rg_out_whole(out, scene->body[i]);
    rg_out_whole(out, m->shapes[i].def.link.i - 1);
    rg_out_pose(out, &scene->X_BS[i]);
    rg_out_whole(out, geometry == NULL ? 0 : solid ? geometry->nparts : 1);
    rg_out_name(out, m->shapes[i].def.name);
    rg_out_line(out);
    if (geometry == NULL)
        return;
    if (!solid)
        write_surface(out, geometry->surface);
    for (int32_t k = 0; solid && k < geometry->nparts; k++) {
        const RgShape *part = &geometry->parts[k];
        int sizes = sizes_of(part->type);
        if (sizes >= 0)
            write_primitive(out, part, sizes);
        else
            write_polytope(out, part->core);
    }
}

/* ------------------------------------------------------------------ pairs that may touch */

static bool may_touch(const RgContactScene *scene, int a, int b)
{
    const RgSpace *space = scene->space;
    if (scene->collider[a].i == 0 || scene->collider[b].i == 0)
        return false;
    return rg_pair_filter_allows(&space->filter, &space->tags[scene->collider[a].i - 1],
                                 &space->tags[scene->collider[b].i - 1]);
}

/* The shapes with higher numbers that shape a may touch, as ranges. */
static void write_touch(RgCertificateOut *out, const RgContactScene *scene, int a)
{
    bool any = false;
    for (int b = a + 1; b < scene->model->nshapes; b++) {
        if (!may_touch(scene, a, b))
            continue;
        if (!any) {
            rg_out_word(out, "touch");
            rg_out_whole(out, a);
        }
        any = true;
        int last = b;
        while (last + 1 < scene->model->nshapes && may_touch(scene, a, last + 1))
            last++;
        rg_out_whole(out, b);
        if (last > b) {
            char text[16];
            int n = snprintf(text, sizeof text, "-%d", last);
            rg_out_bytes(out, text, (size_t)n);
        }
        b = last;
    }
    if (any)
        rg_out_line(out);
}

void rg_certificate_write_head(RgCertificateOut *out, RgWorld *w)
{
    const RgModel *m = w->model;
    const RgContactScene *scene = w->scope.scene;
    RgWorldSettings settings = rg_world_settings(w);
    rg_out_word(out, "rigor-certificate 2\nmodel");
    rg_out_name(out, m->name);
    rg_out_bytes(out, "\nstepper ", 9);
    rg_out_bytes(out, settings.stepper, strlen(settings.stepper));
    rg_out_bytes(out, "\ncoords ", 8);
    rg_out_bytes(out, settings.coords, strlen(settings.coords));
    rg_out_bytes(out, "\ngap", 4);
    rg_out_number(out, w->scope.adapt.gap);
    rg_out_bytes(out, "\ncounts", 7);
    rg_out_whole(out, m->nbodies);
    rg_out_whole(out, m->nq);
    rg_out_whole(out, m->nv);
    rg_out_whole(out, scene != NULL ? m->nshapes : 0);
    rg_out_line(out);
    for (int i = 0; i < m->nbodies; i++)
        write_body(out, m, i);
    for (int i = 0; scene != NULL && i < m->nshapes; i++)
        write_shape(out, scene, i);
    for (int i = 0; scene != NULL && i < m->nshapes; i++)
        write_touch(out, scene, i);
}
