/* heard.h - events as they are reported, kept in their order; a bar with stops that makes some. */
#ifndef TEST_SUPPORT_HEARD_H
#define TEST_SUPPORT_HEARD_H

#include <criterion/criterion.h>
#include <math.h>
#include <rigor/rigor.h>

enum { HEARD_MAX = 512 };

typedef struct Heard {
    RgEvent events[HEARD_MAX];
    int count;
} Heard;

static inline void hear(const RgEvent *event, void *context)
{
    Heard *heard = context;
    cr_assert_lt(heard->count, HEARD_MAX);
    heard->events[heard->count++] = *event;
}

/* Events of a kind; the first of them. */
static inline int heard_of(const Heard *heard, RgEventKind kind, RgEvent *first)
{
    int count = 0;
    *first = (RgEvent){.t = NAN};
    for (int i = heard->count - 1; i >= 0; i--) {
        if (heard->events[i].kind != kind)
            continue;
        count++;
        *first = heard->events[i];
    }
    return count;
}

/* A bar of 1 kg, its centre 1 m from its hinge, with stops at -1 and 0.5 rad. */
static inline RgJointId stopped_bar_add(RgBuilder *builder, RgSym3 moments)
{
    RgLinkDef bar = rg_link_def_default();
    bar.name = "bar";
    bar.inertia = (RgInertia){.mass = 1.0, .com = {1.0, 0.0, 0.0}, .I = moments};
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = "hinge";
    hinge.type = RG_JOINT_revolute;
    hinge.child = rg_builder_add_link(builder, &bar);
    hinge.axis = (RgVec3){0.0, 1.0, 0.0};
    hinge.dof[0].lower = -1.0;
    hinge.dof[0].upper = 0.5;
    return rg_builder_add_joint(builder, &hinge);
}

#endif
