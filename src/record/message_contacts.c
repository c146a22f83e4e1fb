/*
 * message_contacts.c - /rigor/contacts: the contact points of the last step, as rigor_msgs/Contacts.
 *
 *   stamp | link_a[] | link_b[] | point[] | normal[] | force[] | gap[] | slip[] | mu[] | state[]
 *
 * One entry per point; three numbers per point in point (m), normal (from A to B) and force (on B, N), in world axes.
 * gap in m; slip: speed across the normal, m/s; mu: friction coefficient; state: 0 open, 1 sticks, 2 slips. Links are
 * numbered as in /rigor/scene; the world is 4294967295.
 */
#include "math/vec3.h"
#include "record/cdr.h"
#include "record/message_table.h"

static RgStatus encode_contacts(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    rg_cdr_begin(out);
    rg_cdr_time(out, time);

    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_u32(out, rg_message_link(m, forces[i].shape_a));
    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_u32(out, rg_message_link(m, forces[i].shape_b));

    rg_cdr_u32(out, 3 * (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_vec3(out, forces[i].point);
    rg_cdr_u32(out, 3 * (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_vec3(out, forces[i].normal);
    rg_cdr_u32(out, 3 * (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_vec3(out, forces[i].force);

    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_f64(out, forces[i].gap);
    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_f64(out, v3_norm(forces[i].slip));
    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_f64(out, rg_message_mu(m, forces[i].shape_a, forces[i].shape_b));

    rg_cdr_u32(out, (uint32_t)n);
    for (int i = 0; i < n; i++)
        rg_cdr_u8(out, (uint8_t)forces[i].state);
    return RG_OK;
}

const RgMessageKind rg_message_kind_contacts = {
    .channel = {RG_ROS2_CHANNEL("/rigor/contacts", "rigor_msgs/msg/Contacts",
                                "builtin_interfaces/Time stamp\nuint32[] link_a\nuint32[] link_b\nfloat64[] point\n"
                                "float64[] normal\nfloat64[] force\nfloat64[] gap\nfloat64[] slip\nfloat64[] mu\n"
                                "uint8[] state\n" RG_ROS_TIME),
                .when = RG_CHANNEL_FRAME},
    .encode = encode_contacts,
};
