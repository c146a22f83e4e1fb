/*
 * sdf_link.c - <link> of SDF: inertial, shapes.
 *
 * Defaults of the format: 1 kg, and 1 kg m^2 about every axis. With <inertial auto="true"> mass, centre and inertia are
 * those of the collision shapes, filled with the density of the collision, else of the inertial, else 1000 kg/m^3.
 * Shapes without volume add nothing.
 */
#include "math/spatial.h"
#include "scene/colour.h"
#include "scene/sdf.h"

#include <string.h>

/* kg/m^3, water: the format's default. */
#define SDF_DENSITY 1000.0

static RgInertia read_inertial(RgReader *reader, const RgXml *link)
{
    RgInertia in = {1.0, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
    const RgXml *inertial = rg_xml_child(link, "inertial");
    if (inertial == NULL)
        return in;
    RgPose X_LI;
    const char *relative_to;
    rg_sdf_pose_read(reader, inertial, &X_LI, &relative_to);
    if (relative_to[0] != '\0')
        rg_reader_warn(reader, inertial,
                       "<pose relative_to> of an inertial is not used: it stands in the link's frame");
    rg_reader_child(reader, inertial, "mass", 1, &in.mass);
    const RgXml *inertia = rg_xml_child(inertial, "inertia");
    rg_reader_child(reader, inertia, "ixx", 1, &in.I.xx);
    rg_reader_child(reader, inertia, "iyy", 1, &in.I.yy);
    rg_reader_child(reader, inertia, "izz", 1, &in.I.zz);
    rg_reader_child(reader, inertia, "ixy", 1, &in.I.xy);
    rg_reader_child(reader, inertia, "ixz", 1, &in.I.xz);
    rg_reader_child(reader, inertia, "iyz", 1, &in.I.yz);
    return inertia_transform(X_LI, in);
}

static bool is_automatic(RgReader *reader, const RgXml *link)
{
    const RgXml *inertial = rg_xml_child(link, "inertial");
    const char *automatic = inertial != NULL ? rg_xml_attribute(inertial, "auto") : NULL;
    return automatic != NULL && rg_reader_flag(reader, inertial, automatic);
}

/* Reads a <collision> or <visual>. False: it has no geometry, or the error is set. */
static bool read_shape(RgSdf *sdf, const RgSdfItem *item, const RgXml *owner, RgShapeDef *def)
{
    static const char *const known[] = {"geometry",         "pose",
                                        "surface",          "material",
                                        "max_contacts",     "laser_retro",
                                        "density",          "auto_inertia_params",
                                        "cast_shadows",     "transparency",
                                        "visibility_flags", "meta",
                                        "self_collide",     NULL};
    static const char *const skipped[] = {"plugin", "sensor", NULL};
    RgReader *reader = sdf->reader;
    rg_reader_expect(reader, owner, known, skipped);
    *def = rg_shape_def_default();
    def->name = rg_reader_shape_name(reader, owner, item->name);
    def->link = item->id;
    def->line = owner->line;
    def->is_visual = strcmp(owner->name, "visual") == 0;

    /* The pose is relative to the link, or to any frame of the scope. */
    const char *relative_to;
    rg_sdf_pose_read(reader, owner, &def->X_LS, &relative_to);
    if (relative_to[0] != '\0') {
        RgPose X_SF = rg_sdf_frame_pose(sdf, item, relative_to, owner);
        def->X_LS = pose_mul(pose_relative(item->X_S, X_SF), def->X_LS);
    }
    if (def->is_visual)
        rg_sdf_colour(owner, def->colour);
    else
        rg_sdf_surface_read(reader, owner, def);
    return rg_sdf_geometry_read(reader, owner, def);
}

/* Mass, centre and inertia of the collision shapes together. */
static RgInertia sum_shape_inertias(RgSdf *sdf, const RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    RgInertia sum = {0};
    double link_density = SDF_DENSITY;
    rg_reader_child(reader, rg_xml_child(item->xml, "inertial"), "density", 1, &link_density);
    for (const RgXml *xml = rg_xml_child(item->xml, "collision"); xml != NULL && rg_reader_ok(reader);
         xml = rg_xml_next_same(xml)) {
        RgShapeDef def;
        RgInertia part;
        double density = link_density;
        rg_reader_child(reader, xml, "density", 1, &density);
        if (!read_shape(sdf, item, xml, &def))
            continue;
        if (rg_shape_inertia(&def, density, &part) == RG_OK)
            sum = inertia_add(sum, inertia_transform(def.X_LS, part));
        else
            rg_reader_warn(reader, xml, "<collision> encloses no volume: it adds nothing to the automatic inertia");
    }
    if (rg_reader_ok(reader) && !(sum.mass > 0.0))
        rg_reader_fail(reader, RG_ERR_MODEL, item->xml,
                       "link '%s': automatic inertia needs a collision shape with volume", item->name);
    return sum;
}

static void expect_children(RgReader *reader, const RgXml *link)
{
    static const char *const known[] = {"pose",        "inertial",          "collision", "visual",    "self_collide",
                                        "enable_wind", "must_be_base_link", "gravity",   "kinematic", "velocity_decay",
                                        NULL};
    static const char *const skipped[] = {
        "sensor", "plugin", "light", "projector", "audio_sink", "audio_source", "battery", "particle_emitter", NULL};
    rg_reader_expect(reader, link, known, skipped);

    /* Three settings that would change the motion and are not supported. */
    if (!rg_reader_child_flag(reader, link, "gravity", true))
        rg_reader_warn_once(reader, link, "link without gravity",
                            "<gravity> false of a link is not used: it falls like the others");
    if (rg_reader_child_flag(reader, link, "kinematic", false))
        rg_reader_warn_once(reader, link, "kinematic link",
                            "<kinematic> of a link is not used: it moves like the others");
    double linear = 0.0, angular = 0.0;
    const RgXml *decay = rg_xml_child(link, "velocity_decay");
    rg_reader_child(reader, decay, "linear", 1, &linear);
    rg_reader_child(reader, decay, "angular", 1, &angular);
    if (linear != 0.0 || angular != 0.0)
        rg_reader_warn_once(reader, link, "velocity decay", "<velocity_decay> of a link is not used");
}

void rg_sdf_link_add(RgSdf *sdf, RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    expect_children(reader, item->xml);
    rg_sdf_file_set(sdf, item->xml);
    RgLinkDef def = rg_link_def_default();
    def.name = rg_sdf_name(sdf, item);
    def.group = rg_sdf_group(item);
    def.inertia = is_automatic(reader, item->xml) ? sum_shape_inertias(sdf, item) : read_inertial(reader, item->xml);
    if (item->scope->is_static && rg_xml_child(item->xml, "inertial") == NULL)
        def.inertia = (RgInertia){.mass = 0.0}; /* a static link without <inertial> has no default mass */
    def.X_WL = rg_sdf_pose_world(item);
    def.is_static = item->scope->is_static || item->is_base;
    def.self_collide = rg_reader_self_collide(reader, item->self_collide);
    def.line = item->xml->line;
    if (!rg_reader_ok(reader))
        return;
    item->id = rg_builder_add_link(reader->builder, &def);
    if (item->id.i == 0) {
        rg_reader_fail_builder(reader);
        return;
    }
    for (const RgXml *child = item->xml->first; child != NULL && rg_reader_ok(reader); child = child->next) {
        RgShapeDef shape;
        if (strcmp(child->name, "collision") != 0 && strcmp(child->name, "visual") != 0)
            continue;
        if (read_shape(sdf, item, child, &shape) && rg_builder_add_shape(reader->builder, &shape).i == 0)
            rg_reader_fail_builder(reader);
    }
}
