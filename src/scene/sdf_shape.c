/*
 * sdf_shape.c - <geometry> of SDF.
 *
 *   box size | sphere radius | cylinder, capsule radius length (along z) | ellipsoid radii | plane normal |
 *   mesh uri scale (optimization, drake:declare_convex: its collision geometry)
 *
 * A plane is the half-space below it; its frame is rotated so that z is the normal. Missing sizes have the format's
 * defaults. Unsupported kinds (heightmap images, polylines, images) and empty geometries make a remark and no shape.
 */
#include "math/pose.h"
#include "scene/mesh_file.h"
#include "scene/sdf.h"

#include <string.h>

static bool read_box(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->type = RG_SHAPE_box;
    rg_reader_child(reader, xml, "size", 3, def->size);
    return true;
}

static bool read_sphere(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->type = RG_SHAPE_sphere;
    rg_reader_child(reader, xml, "radius", 1, &def->size[0]);
    return true;
}

static bool read_cylinder(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->type = RG_SHAPE_cylinder;
    rg_reader_child(reader, xml, "radius", 1, &def->size[0]);
    rg_reader_child(reader, xml, "length", 1, &def->size[1]);
    return true;
}

static bool read_capsule(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->size[0] = 0.5;
    read_cylinder(reader, xml, def);
    def->type = RG_SHAPE_capsule;
    return true;
}

static bool read_ellipsoid(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->type = RG_SHAPE_ellipsoid;
    rg_reader_child(reader, xml, "radii", 3, def->size);
    return true;
}

static bool read_plane(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    double n[3] = {0.0, 0.0, 1.0};
    def->type = RG_SHAPE_halfspace;
    rg_reader_child(reader, xml, "normal", 3, n);
    RgVec3 normal = v3(n[0], n[1], n[2]);
    double length = v3_norm(normal);
    if (!(length > 0.0) || !isfinite(length))
        return rg_reader_fail(reader, RG_ERR_MODEL, xml, "<plane>: its normal must not be zero");
    def->X_LS.R = m3_mul(def->X_LS.R, m3_align_z(v3_scale(1.0 / length, normal)));
    return true;
}

/* The collision geometry of a mesh: its triangles, its hull, or the hulls of its parts. */
static void read_mesh_use(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    const char *optimization = rg_xml_attribute(xml, "optimization");
    if (def->is_visual)
        return;
    if (rg_xml_child(xml, "drake:declare_convex") != NULL)
        def->mesh_use = RG_MESH_HULL;
    if (optimization == NULL || optimization[0] == '\0')
        return;
    if (strcmp(optimization, "convex_hull") == 0) {
        def->mesh_use = RG_MESH_HULL;
    } else if (strcmp(optimization, "convex_decomposition") == 0) {
        def->mesh_use = RG_MESH_PARTS;
        rg_reader_warn_once(reader, xml, "convex decomposition",
                            "<mesh optimization='convex_decomposition'>: no decomposition is computed, the "
                            "convex hulls of the file's objects are taken (said once)");
    } else {
        rg_reader_warn(reader, xml, "<mesh>: unknown optimization '%.40s' is not used", optimization);
    }
}

static bool read_mesh(RgReader *reader, const RgXml *xml, RgShapeDef *def)
{
    def->type = RG_SHAPE_mesh;
    rg_reader_child(reader, xml, "scale", 3, def->size);
    read_mesh_use(reader, xml, def);
    const RgXml *uri = rg_xml_child(xml, "uri"), *submesh = rg_xml_child(xml, "submesh");
    if (uri == NULL)
        uri = rg_xml_child(xml, "filename");
    if (uri == NULL || uri->text[0] == '\0')
        return rg_reader_fail(reader, RG_ERR_SYNTAX, xml, "<mesh> needs <uri>");
    if (submesh != NULL)
        rg_reader_warn(reader, submesh, "<submesh> is not read: the whole mesh '%s' is taken", uri->text);
    return rg_mesh_load(reader, uri, uri->text, def);
}

typedef struct SdfGeometry {
    const char *name;
    bool (*read)(RgReader *reader, const RgXml *xml, RgShapeDef *def);
} SdfGeometry;

bool rg_sdf_geometry_read(RgReader *reader, const RgXml *owner, RgShapeDef *def)
{
    static const SdfGeometry kinds[] = {
        {"box", read_box},         {"sphere", read_sphere},       {"cylinder", read_cylinder},
        {"capsule", read_capsule}, {"ellipsoid", read_ellipsoid}, {"plane", read_plane},
        {"mesh", read_mesh}};
    const RgXml *geometry = rg_xml_child(owner, "geometry");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const RgXml *xml = rg_xml_child(geometry, kinds[i].name);
        if (xml != NULL)
            return kinds[i].read(reader, xml, def) && rg_reader_ok(reader);
    }
    const char *name = def->name != NULL ? def->name : "";
    const char *found = geometry != NULL && geometry->first != NULL ? geometry->first->name : NULL;
    if (found != NULL && strcmp(found, "empty") != 0)
        rg_reader_warn(reader, owner, "<%s name='%s'>: <%s> geometry is not supported, it is skipped", owner->name,
                       name, found);
    else
        rg_reader_warn(reader, owner, "<%s name='%s'> without geometry is skipped", owner->name, name);
    return false;
}
