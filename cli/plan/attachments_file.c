/*
 * attachments_file.c - the sections of a run file for joints made at run time and for damping fields.
 *
 *   attachments:
 *     - name: TEXT                # in the list of events
 *       type: fixed               # or revolute, continuous, prismatic, screw, cylindrical, universal, spherical, planar
 *       parent: LINK              # or world
 *       child: LINK               # or world
 *       frame: POSE               # of the joint on the child: [x, y, z] or {xyz, rpy}; default: the link's own
 *       parent_frame: POSE        # the same on the parent, where the child is moved to; default: where it is then
 *       axis: [x, y, z]           # in the joint's frame; default z
 *       axis2: [x, y, z]          # of universal joints; default y
 *       pitch: m/rad              # of screws
 *       limits: [lower, upper]    # rad or m, of its first axis
 *       damping: N m s/rad        # of every axis; friction, stiffness: the same
 *       attach: start             # or {at: s}, contact, {within: [m, rad]}; default: only by call
 *       detach: {at: s}           # or {above: q}, {below: q}: position of the joint, rad or m
 *       breaks: {force: N, torque: N m}
 *       collide: BOOL             # the two links may touch while attached; default false
 *   fields:
 *     - name: TEXT
 *       link: LINK                # that carries it; default world
 *       pose: POSE                # on the link
 *       box: [x, y, z]            # or sphere: radius, or cylinder: [radius, length]; m
 *       linear: 1/s               # and angular: 1/s
 */
#include "plan/attachments_file.h"

#include "io/json_out.h"
#include "plan/run_values.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* State of the reader. */
typedef struct Reader {
    RgPlan *plan;
    RgPlanAttachment attachment;
    RgPlanField field;
    RgAttachWhen *when;
    int shapes; /* of the field, given so far */
} Reader;

static RgAttachmentDef *def_of(void *target)
{
    return &((Reader *)target)->attachment.def;
}

/* A finite number, at least `least`. */
static bool read_number(RgYaml *yaml, yaml_node_t *node, const char *what, double least, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (!isfinite(*out) || *out < least)
        return rg_yaml_fail(yaml, node, "%s: expected a number%s, found %g", what,
                            least == 0.0 ? " that is not negative" : "", *out);
    return true;
}

static bool key_positive(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    if (!rg_yaml_number(yaml, node, key->name, field))
        return false;
    return *(double *)field > 0.0 ||
           rg_yaml_fail(yaml, node, "%s: expected a number above 0, found %g", key->name, *(double *)field);
}

static bool key_not_negative(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    return read_number(yaml, node, key->name, 0.0, field);
}

static bool key_link(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    RgPlanLinkName *link = field;
    link->place = rg_plan_place(node);
    return rg_yaml_key_text(yaml, node, key, (void *)&link->name);
}

#define TYPED(key, type, field)                                                                                        \
    {                                                                                                                  \
        .name = (key), .typed = (type), .offset = offsetof(Reader, field)                                              \
    }

/* ------------------------------------------------------------------ joints */

static bool joint_type(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "type");
    for (int i = 0; text && i < RG_JOINT_COUNT; i++) {
        if (i == RG_JOINT_free || strcmp(text, rg_joint_type_name((RgJointType)i)) != 0)
            continue;
        def_of(target)->joint.type = (RgJointType)i;
        return true;
    }
    return text && rg_yaml_fail(yaml, node,
                                "type: unknown '%.60s'; expected fixed, revolute, continuous, prismatic, screw, "
                                "cylindrical, universal, spherical or planar",
                                text);
}

static bool joint_parent_frame(RgYaml *yaml, yaml_node_t *node, void *target)
{
    def_of(target)->placed = ((Reader *)target)->attachment.placed_by_pose = true;
    return rg_run_file_pose(yaml, node, &(RgYamlKey){.name = "parent_frame"}, &def_of(target)->joint.X_PJ);
}

static bool joint_limits(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double limits[2];
    int count = rg_yaml_numbers(yaml, node, "limits", limits, 2);
    if (count < 0)
        return false;
    if (count != 2 || !(limits[0] <= limits[1]))
        return rg_yaml_fail(yaml, node, "limits: expected a lower and an upper one");
    def_of(target)->joint.dof[0].lower = limits[0];
    def_of(target)->joint.dof[0].upper = limits[1];
    return true;
}

/* The same number for every axis; the field is that of the first. */
static bool key_of_axes(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    double value;
    if (!read_number(yaml, node, key->name, 0.0, &value))
        return false;
    for (int k = 0; k < 6; k++)
        *(double *)((char *)field + (size_t)k * sizeof(RgAxisDef)) = value;
    return true;
}

static bool joint_breaks(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("force", key_positive, attachment.def.break_force),
                                     TYPED("torque", key_positive, attachment.def.break_torque)};
    return rg_yaml_map(yaml, node, "breaks", keys, COUNT(keys), target);
}

static bool when_at(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgAttachWhen *when = ((Reader *)target)->when;
    when->cause = RG_ATTACH_time;
    return read_number(yaml, node, "at", 0.0, &when->time);
}

static bool when_within(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgAttachWhen *when = ((Reader *)target)->when;
    double values[2];
    int count = rg_yaml_numbers(yaml, node, "within", values, 2);
    if (count < 0)
        return false;
    if (count != 2 || !(values[0] > 0.0 && values[1] > 0.0))
        return rg_yaml_fail(yaml, node, "within: expected a distance (m) and an angle (rad), both above 0");
    when->cause = RG_ATTACH_near;
    when->distance = values[0];
    when->angle = values[1];
    return true;
}

static bool when_above(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgAttachWhen *when = ((Reader *)target)->when;
    when->cause = RG_ATTACH_above;
    return read_number(yaml, node, "above", -INFINITY, &when->position);
}

static bool when_below(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgAttachWhen *when = ((Reader *)target)->when;
    when->cause = RG_ATTACH_below;
    return read_number(yaml, node, "below", -INFINITY, &when->position);
}

static bool joint_attach(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{.name = "at", .read = when_at}, {.name = "within", .read = when_within}};
    Reader *r = target;
    r->when = &r->attachment.def.attach;
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_map(yaml, node, "attach", keys, COUNT(keys), target);
    const char *text = rg_yaml_text(yaml, node, "attach");
    bool start = text && strcmp(text, "start") == 0, contact = text && strcmp(text, "contact") == 0;
    if (text && !start && !contact)
        return rg_yaml_fail(yaml, node,
                            "attach: unknown '%.60s'; expected start, contact, {at: s} or {within: [m, rad]}", text);
    r->attachment.at_start = start;
    if (contact)
        r->when->cause = RG_ATTACH_contact;
    return text != NULL;
}

static bool joint_detach(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {.name = "at", .read = when_at}, {.name = "above", .read = when_above}, {.name = "below", .read = when_below}};
    Reader *r = target;
    r->when = &r->attachment.def.detach;
    if (node->type != YAML_MAPPING_NODE)
        return rg_yaml_fail(yaml, node, "detach: expected {at: s}, {above: q} or {below: q}");
    return rg_yaml_map(yaml, node, "detach", keys, COUNT(keys), target);
}

static bool read_attachment(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("name", rg_yaml_key_text, attachment.def.name),
                                     {.name = "type", .read = joint_type},
                                     TYPED("parent", key_link, attachment.parent),
                                     TYPED("child", key_link, attachment.child),
                                     TYPED("frame", rg_run_file_pose, attachment.def.joint.X_CJ),
                                     {.name = "parent_frame", .read = joint_parent_frame},
                                     TYPED("axis", rg_yaml_key_vector, attachment.def.joint.axis),
                                     TYPED("axis2", rg_yaml_key_vector, attachment.def.joint.axis2),
                                     TYPED("pitch", rg_yaml_key_number, attachment.def.joint.pitch),
                                     {.name = "limits", .read = joint_limits},
                                     TYPED("damping", key_of_axes, attachment.def.joint.dof[0].damping),
                                     TYPED("friction", key_of_axes, attachment.def.joint.dof[0].friction),
                                     TYPED("stiffness", key_of_axes, attachment.def.joint.dof[0].stiffness),
                                     {.name = "attach", .read = joint_attach},
                                     {.name = "detach", .read = joint_detach},
                                     {.name = "breaks", .read = joint_breaks},
                                     TYPED("collide", rg_yaml_key_flag, attachment.def.collide)};
    Reader *r = target;
    RgPlan *plan = r->plan;
    r->attachment = (RgPlanAttachment){.def = rg_attachment_def_default(),
                                       .line = (int)node->start_mark.line + 1,
                                       .column = (int)node->start_mark.column + 1};
    if (!rg_yaml_map(yaml, node, "attachment", keys, COUNT(keys), target))
        return false;
    RgPlanAttachment *a = &r->attachment;
    if (!a->parent.name || !a->child.name)
        return rg_yaml_fail(yaml, node, "attachment: 'parent' and 'child' are both needed");
    if (a->def.attach.cause == RG_ATTACH_near && !a->placed_by_pose)
        return rg_yaml_fail(yaml, node, "attachment: 'within' needs a 'parent_frame'");
    if (a->def.joint.type == RG_JOINT_screw ? a->def.joint.pitch == 0.0 : a->def.joint.pitch != 0.0)
        return rg_yaml_fail(yaml, node, "attachment: 'pitch' (m/rad) is needed for a screw, and for nothing else");
    if (!a->def.name)
        a->def.name = rg_pool_print(&plan->pool, "%s-%s", a->parent.name, a->child.name);
    if (a->placed_by_pose && a->def.attach.cause == RG_ATTACH_near) {
        /* The permitted displacement is the distance within which it attaches. */
        a->def.max_error = fmax(a->def.attach.distance, a->def.attach.angle);
    }
    for (int i = 0; i < plan->nattachments; i++)
        if (strcmp(plan->attachments[i].def.name, a->def.name) == 0)
            return rg_yaml_fail(yaml, node, "attachment: two have the name '%.60s'", a->def.name);
    plan->attachments = rg_pool_grow(&plan->pool, plan->attachments, plan->nattachments, sizeof *a);
    plan->attachments[plan->nattachments++] = *a;
    return true;
}

bool rg_attachments_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan)
{
    Reader reader = {.plan = plan};
    return rg_yaml_list(yaml, node, "attachments", read_attachment, &reader);
}

/* ------------------------------------------------------------------ fields */

static bool read_shape(RgYaml *yaml, yaml_node_t *node, RgFieldShape shape, void *target)
{
    Reader *r = target;
    const char *what = rg_field_shape_name(shape);
    int expected = rg_field_shape_numbers(shape);
    int count = rg_yaml_numbers(yaml, node, what, r->field.def.size, 3);
    if (count < 0)
        return false;
    bool positive = count == expected;
    for (int i = 0; i < count; i++)
        positive = positive && r->field.def.size[i] > 0.0 && isfinite(r->field.def.size[i]);
    if (!positive)
        return rg_yaml_fail(yaml, node, "%s: expected %d number%s above 0", what, expected, expected == 1 ? "" : "s");
    r->field.def.shape = shape;
    r->shapes++;
    return true;
}

static bool field_box(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_shape(yaml, node, RG_FIELD_box, target);
}

static bool field_sphere(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_shape(yaml, node, RG_FIELD_sphere, target);
}

static bool field_cylinder(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_shape(yaml, node, RG_FIELD_cylinder, target);
}

static bool read_field(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("name", rg_yaml_key_text, field.def.name),
                                     TYPED("link", key_link, field.link),
                                     TYPED("pose", rg_run_file_pose, field.def.X_LF),
                                     {.name = "box", .read = field_box},
                                     {.name = "sphere", .read = field_sphere},
                                     {.name = "cylinder", .read = field_cylinder},
                                     TYPED("linear", key_not_negative, field.def.linear),
                                     TYPED("angular", key_not_negative, field.def.angular)};
    Reader *r = target;
    RgPlan *plan = r->plan;
    r->shapes = 0;
    r->field = (RgPlanField){.def = rg_field_def_default(), .link = {.name = "world"}};
    if (!rg_yaml_map(yaml, node, "field", keys, COUNT(keys), target))
        return false;
    if (r->shapes != 1)
        return rg_yaml_fail(yaml, node, "field: one of box, sphere and cylinder is needed, found %d", r->shapes);
    if (r->field.def.linear == 0.0 && r->field.def.angular == 0.0)
        return rg_yaml_fail(yaml, node, "field: 'linear' or 'angular' (1/s) is needed");
    if (!r->field.def.name)
        r->field.def.name = rg_pool_print(&plan->pool, "field%d", plan->nfields + 1);
    for (int i = 0; i < plan->nfields; i++)
        if (strcmp(plan->fields[i].def.name, r->field.def.name) == 0)
            return rg_yaml_fail(yaml, node, "field: there are two called '%.60s'", r->field.def.name);
    plan->fields = rg_pool_grow(&plan->pool, plan->fields, plan->nfields, sizeof *plan->fields);
    plan->fields[plan->nfields++] = r->field;
    return true;
}

bool rg_fields_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan)
{
    Reader reader = {.plan = plan};
    return rg_yaml_list(yaml, node, "fields", read_field, &reader);
}

/* ------------------------------------------------------------------ into a world */

RgStatus rg_attachments_prepare(RgPlan *plan, const RgModel *model, RgWorldDef *def, RgError *error)
{
    RgStatus status = RG_OK;
    RgFieldDef *fields = rg_pool_take(&plan->pool, (size_t)plan->nfields + 1, sizeof *fields);
    for (int i = 0; i < plan->nfields && status == RG_OK; i++) {
        RgPlanField *f = &plan->fields[i];
        status = rg_plan_find_link(plan, model, &f->link, &f->def.link, error);
        fields[i] = f->def;
    }
    for (int i = 0; i < plan->nattachments && status == RG_OK; i++) {
        RgPlanAttachment *a = &plan->attachments[i];
        status = rg_plan_find_link(plan, model, &a->parent, &a->def.joint.parent, error);
        if (status == RG_OK)
            status = rg_plan_find_link(plan, model, &a->child, &a->def.joint.child, error);
    }
    def->fields = fields;
    def->nfields = plan->nfields;
    def->max_attachments = plan->nattachments;
    return status;
}

static RgStatus blame(const RgPlan *plan, const RgPlanAttachment *a, RgError *error)
{
    error->file[0] = '\0';
    snprintf(error->file, sizeof error->file, "%s", plan->path);
    error->line = a->line;
    error->column = a->column;
    return error->status;
}

RgStatus rg_attachments_add(const RgPlan *plan, RgWorld *world, RgError *error)
{
    for (int i = 0; i < plan->nattachments; i++) {
        const RgPlanAttachment *a = &plan->attachments[i];
        RgAttachmentId id = rg_world_add_attachment(world, &a->def, error);
        if (id.i == 0)
            return blame(plan, a, error);
        if (a->at_start && rg_world_attach(world, id, error) != RG_OK)
            return blame(plan, a, error);
    }
    rg_world_set_energy_sums(world, NULL);
    return RG_OK;
}

/* ------------------------------------------------------------------ results */

static const char *word_of(const RgAttachmentReport *report)
{
    return report->attached ? "attached" : report->broken ? "broke" : report->since > 0.0 ? "released" : "not made";
}

void rg_attachments_print(const RgPlan *plan, RgWorld *world, double attached, FILE *out)
{
    RgAttachmentReport report;
    for (int i = 0; i < plan->nattachments; i++) {
        if (rg_world_attachment(world, (RgAttachmentId){i + 1}, &report) != RG_OK)
            continue;
        fprintf(out, "%s%s %s", i == 0 ? "attachments    " : "               ", report.name, word_of(&report));
        if (report.since > 0.0)
            fprintf(out, " at %.6g s", report.since);
        for (int k = 0; k < report.nq; k++)
            fprintf(out, "%s%.6g", k == 0 ? ", position " : " ", report.q[k]);
        fputc('\n', out);
    }
    if (plan->nattachments > 0)
        fprintf(out, "               %.6g J by making and releasing them\n", attached);
}

json_t *rg_attachments_json(const RgPlan *plan, RgWorld *world)
{
    json_t *out = json_array();
    RgAttachmentReport report;
    for (int i = 0; i < plan->nattachments; i++) {
        if (rg_world_attachment(world, (RgAttachmentId){i + 1}, &report) != RG_OK)
            continue;
        json_t *one = json_object(), *q = json_array();
        for (int k = 0; k < report.nq; k++)
            json_array_append_new(q, rg_json_number(report.q[k]));
        RG_JSON_SET(one, {"name", rg_json_text(report.name)}, {"state", json_string(word_of(&report))},
                    {"since", rg_json_number(report.since)}, {"position", q});
        json_array_append_new(out, one);
    }
    return out;
}
