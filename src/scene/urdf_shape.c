/*
 * urdf_shape.c - <collision> and <visual> of a URDF link.
 *
 * box size (full lengths), sphere radius, cylinder and capsule radius and length (along z; a capsule's length is that
 * of its axis segment), mesh filename and scale (with drake:declare_convex its hull is the collision geometry). An
 * element without a known geometry makes a remark and no shape.
 */
#include "scene/mesh_file.h"
#include "scene/urdf.h"

#include <string.h>

static const RgXml *find_first_child(const RgXml *geometry, const char *const *names)
{
    for (; *names != NULL; names++) {
        const RgXml *found = rg_xml_child(geometry, *names);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* A required attribute; without it the error is set. */
static void read_required(RgReader *reader, const RgXml *element, const char *name, int count, double *out)
{
    if (!rg_reader_attribute(reader, element, name, count, out))
        rg_reader_fail(reader, RG_ERR_SYNTAX, element, "<%s> needs an attribute '%s'", element->name, name);
}

/* Kind and sizes. False: the shape is left out (with a remark), or the error is set. */
static bool read_geometry(RgReader *reader, const RgXml *owner, RgShapeDef *def)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule", "mesh", NULL};
    const RgXml *geometry = rg_xml_child(owner, "geometry");
    const RgXml *kind = geometry != NULL ? find_first_child(geometry, kinds) : NULL;
    if (kind == NULL) {
        const char *found = geometry != NULL && geometry->first != NULL ? geometry->first->name : NULL;
        if (found != NULL)
            rg_reader_warn(reader, owner,
                           "<%s> with unknown geometry <%s> is skipped; known: box, sphere, cylinder, capsule, mesh",
                           owner->name, found);
        else
            rg_reader_warn(reader, owner, "<%s> without geometry is skipped", owner->name);
        return false;
    }
    if (strcmp(kind->name, "box") == 0) {
        def->type = RG_SHAPE_box;
        read_required(reader, kind, "size", 3, def->size);
    } else if (strcmp(kind->name, "sphere") == 0) {
        def->type = RG_SHAPE_sphere;
        read_required(reader, kind, "radius", 1, def->size);
    } else if (strcmp(kind->name, "mesh") == 0) {
        def->type = RG_SHAPE_mesh;
        rg_reader_attribute(reader, kind, "scale", 3, def->size);
        if (rg_xml_child(kind, "drake:declare_convex") != NULL)
            def->mesh_use = RG_MESH_HULL;
        const char *uri = rg_reader_name(reader, kind, "filename");
        if (uri != NULL)
            rg_mesh_load(reader, kind, uri, def);
    } else {
        def->type = strcmp(kind->name, "capsule") == 0 ? RG_SHAPE_capsule : RG_SHAPE_cylinder;
        read_required(reader, kind, "radius", 1, &def->size[0]);
        read_required(reader, kind, "length", 1, &def->size[1]);
    }
    return rg_reader_ok(reader);
}

static void add_shape(RgUrdf *urdf, const RgUrdfLink *link, const RgXml *owner, bool is_visual)
{
    static const char *const known[] = {"origin", "geometry", "material", NULL};
    static const char *const skipped[] = {"verbose", "contact_coefficients", NULL};
    RgReader *reader = urdf->reader;
    rg_reader_expect(reader, owner, known, skipped);
    RgShapeDef def = rg_shape_def_default();
    def.name = rg_reader_shape_name(reader, owner, link->name);
    def.link = link->id;
    def.line = owner->line;
    def.is_visual = is_visual;
    def.X_LS = rg_urdf_origin(reader, owner);
    if (is_visual)
        rg_urdf_colour(&urdf->colours, owner, def.colour);
    else
        def.surface = link->surface;
    if (!read_geometry(reader, owner, &def))
        return;
    if (rg_builder_add_shape(reader->builder, &def).i == 0)
        rg_reader_fail_builder(reader);
}

void rg_urdf_shapes_add(RgUrdf *urdf, const RgUrdfLink *link)
{
    for (const RgXml *child = link->xml->first; child != NULL && rg_reader_ok(urdf->reader); child = child->next) {
        if (strcmp(child->name, "collision") == 0)
            add_shape(urdf, link, child, false);
        else if (strcmp(child->name, "visual") == 0)
            add_shape(urdf, link, child, true);
    }
}
