/*
 * sdf_gearbox.c - gearbox joints and <mimic> of SDF as couplings between two joints; neither adds a degree of freedom.
 *
 * A gearbox names three links: parent P, child C and a reference body R. Hinges of the file connect two of the three
 * pairs of these links; the gearbox couples the angles of the two hinges.
 *
 * R is the parent of both hinges (two wheels on one frame): the equation of the SDF format. With angle 1 of P against R
 * about <axis> and angle 2 of C against R about <axis2>,
 *
 *   angle2 = -ratio angle1
 *
 * The links form a chain (P - R - C or P - C - R): the equation of the simulator Moby, as its files are built. With in
 * the angle of the hinge on P and out that of the other hinge,
 *
 *   in = ratio out
 *
 * A gearbox whose two hinges are not found is dropped with a remark. Its limits are ignored.
 *
 * Mimic:  q = multiplier (q_other - reference) + offset.
 */
#include "math/pose.h"
#include "scene/sdf.h"

#include <string.h>

/* A hinge between two links a and b; first_is_parent: a is its parent. item NULL: there is none. */
typedef struct Hinge {
    RgSdfItem *item;
    bool first_is_parent;
} Hinge;

static Hinge find_hinge(RgSdfScope *scope, const RgSdfItem *a, const RgSdfItem *b)
{
    for (int i = 0; i < scope->nitems; i++) {
        RgSdfItem *item = scope->items[i];
        if (item->kind != RG_SDF_JOINT || item->is_gearbox ||
            (item->type != RG_JOINT_revolute && item->type != RG_JOINT_continuous))
            continue;
        if (item->parent == a && item->child == b)
            return (Hinge){item, true};
        if (item->parent == b && item->child == a)
            return (Hinge){item, false};
    }
    return (Hinge){NULL, false};
}

/* +1 if an axis of the gearbox and that of the hinge have the same sense at q = 0, else -1. */
static double axis_sign(const RgSdfItem *gearbox, int axis, const RgSdfItem *hinge)
{
    RgVec3 a = m3_apply(gearbox->X_S.R, gearbox->axes[axis]), b = m3_apply(hinge->X_S.R, hinge->axes[0]);
    return v3_dot(a, b) < 0.0 ? -1.0 : 1.0;
}

static void add_coupling(RgSdf *sdf, const RgSdfItem *item, RgCouplingDef *def)
{
    rg_sdf_file_set(sdf, item->xml);
    def->name = rg_sdf_name(sdf, item);
    def->line = item->xml->line;
    if (rg_reader_ok(sdf->reader) && !rg_builder_add_coupling(sdf->reader->builder, def))
        rg_reader_fail_builder(sdf->reader);
}

static void add_gearbox(RgSdf *sdf, RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    const RgXml *body = rg_xml_child(item->xml, "gearbox_reference_body");
    double ratio = 1.0;
    rg_reader_child(reader, item->xml, "gearbox_ratio", 1, &ratio);
    if (body == NULL || body->text[0] == '\0') {
        rg_reader_fail(reader, RG_ERR_SYNTAX, item->xml, "gearbox joint '%s' needs <gearbox_reference_body>",
                       item->name);
        return;
    }
    const RgSdfItem *P = item->parent, *C = item->child, *R = NULL;
    if (strcmp(body->text, "world") != 0)
        R = rg_sdf_frame_link(sdf, item, body->text, item->xml);
    if (!rg_reader_ok(reader))
        return;

    /* The two hinges: R-P and R-C, or those of a chain. */
    Hinge RP = find_hinge(item->scope, R, P), RC = find_hinge(item->scope, R, C), PC = find_hinge(item->scope, P, C);
    RgCouplingDef def = rg_coupling_def_default();
    const RgSdfItem *in = NULL, *out = NULL;
    if (RP.item != NULL && RC.item != NULL && RP.first_is_parent && RC.first_is_parent) {
        double sense = axis_sign(item, 0, RP.item) * axis_sign(item, 1, RC.item);
        def.joint = RC.item->joint;
        def.reference = RP.item->joint;
        def.ratio = -ratio * sense;
        add_coupling(sdf, item, &def);
        return;
    }
    if (RP.item != NULL && RC.item != NULL) {
        in = RP.item;
        out = RC.item;
    } else if (PC.item != NULL) {
        in = PC.item;
        out = RC.item != NULL ? RC.item : RP.item;
    }
    if (in == NULL || out == NULL) {
        rg_reader_warn(reader, item->xml, "gearbox joint '%s' is dropped: its links are not joined by two hinges",
                       item->name);
        return;
    }
    def.joint = in->joint;
    def.reference = out->joint;
    def.ratio = ratio;
    add_coupling(sdf, item, &def);
}

/* The joint of that name, NULL: none. In old files a link may have the name too, and the map then holds the link. */
static const RgSdfItem *find_joint(const RgSdfScope *scope, const char *name)
{
    int place = rg_name_map_find(&scope->names, name);
    if (place < 0 || scope->items[place]->kind == RG_SDF_JOINT)
        return place >= 0 ? scope->items[place] : NULL;
    for (int i = 0; i < scope->nitems; i++)
        if (scope->items[i]->kind == RG_SDF_JOINT && strcmp(scope->items[i]->name, name) == 0)
            return scope->items[i];
    return NULL;
}

static void add_mimic(RgSdf *sdf, const RgSdfItem *item, const RgXml *mimic, int dof)
{
    RgReader *reader = sdf->reader;
    const char *other = rg_reader_name(reader, mimic, "joint"), *axis = rg_xml_attribute(mimic, "axis");
    if (other == NULL)
        return;
    const RgSdfItem *leader = find_joint(item->scope, other);
    if (leader == NULL || leader->joint.i == 0) {
        rg_reader_fail(reader, RG_ERR_MODEL, mimic, "joint '%s' mimics '%s', which is not a joint here", item->name,
                       other);
        return;
    }
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    rg_reader_child(reader, mimic, "multiplier", 1, &multiplier);
    rg_reader_child(reader, mimic, "offset", 1, &offset);
    rg_reader_child(reader, mimic, "reference", 1, &reference);
    RgCouplingDef def = rg_coupling_def_default();
    def.joint = item->joint;
    def.dof = dof;
    def.reference = leader->joint;
    def.reference_dof = axis != NULL && strcmp(axis, "axis2") == 0 ? 1 : 0;
    def.ratio = multiplier;
    def.offset = offset - multiplier * reference;
    add_coupling(sdf, item, &def);
}

void rg_sdf_coupling_add(RgSdf *sdf, RgSdfItem *item)
{
    if (item->is_gearbox) {
        add_gearbox(sdf, item);
        return;
    }
    static const char *const axes[] = {"axis", "axis2"};
    for (int dof = 0; dof < 2; dof++) {
        const RgXml *mimic = rg_xml_child(rg_xml_child(item->xml, axes[dof]), "mimic");
        if (mimic != NULL)
            add_mimic(sdf, item, mimic, dof);
    }
}
