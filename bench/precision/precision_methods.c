/*
 * precision_methods.c - the methods that are compared: ours by stepper, solver and form; other engines by their
 * modules.
 *
 * quick is the default solver of contacts; cone solves them to 1e-10, so that the error of the step is seen alone.
 * Steppers that this build does not have stay in the list, marked.
 */
#define _GNU_SOURCE
#include "child.h"
#include "precision.h"

#include <rigor/rigor.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Method ours[] = {
    {.id = "semi-implicit", .stepper = "semi-implicit", .solver = "quick", .coords = "minimal"},
    {.id = "semi-implicit-maximal", .stepper = "semi-implicit", .solver = "quick", .coords = "maximal"},
    {.id = "semi-implicit-cone", .stepper = "semi-implicit", .solver = "cone", .coords = "minimal"},
    {.id = "semi-implicit-pgs", .stepper = "semi-implicit", .solver = "pgs", .coords = "minimal"},
    {.id = "semi-implicit-000", .stepper = "semi-implicit-000", .solver = "quick", .coords = "minimal"},
    {.id = "euler", .stepper = "euler", .solver = "quick", .coords = "minimal"},
    {.id = "rk4", .stepper = "rk4", .solver = "quick", .coords = "minimal"},
    {.id = "rk4-cone", .stepper = "rk4", .solver = "cone", .coords = "minimal"},
    {.id = "reference",
     .stepper = "reference",
     .solver = "quick",
     .coords = "minimal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_LOCATED,
     .note = "smooth scenes only: with contact it has no tolerance"},
    {.id = "advance", .stepper = "advance", .solver = "quick", .coords = "minimal", .family = FAMILY_LOCATED},
    {.id = "c2a",
     .stepper = "c2a",
     .solver = "quick",
     .coords = "minimal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_LOCATED,
     .note = "tolerance: energy_relative"},
    {.id = "rigid", .stepper = "rigid", .solver = "quick", .coords = "minimal", .family = FAMILY_LOCATED},
    {.id = "rigid-cone", .stepper = "rigid", .solver = "cone", .coords = "minimal", .family = FAMILY_LOCATED},
    {.id = "auto",
     .stepper = "auto",
     .solver = "quick",
     .coords = "minimal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_AUTO,
     .order = 2},
    {.id = "auto-cone",
     .stepper = "auto",
     .solver = "cone",
     .coords = "minimal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_AUTO,
     .order = 2},
    {.id = "auto-1",
     .stepper = "auto",
     .solver = "quick",
     .coords = "minimal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_AUTO,
     .order = 1,
     .note = "first-order variant"},
    {.id = "auto-maximal",
     .stepper = "auto",
     .solver = "quick",
     .coords = "maximal",
     .knob = KNOB_TOLERANCE,
     .family = FAMILY_AUTO,
     .order = 2},
};

static bool have_stepper(const char *name)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), name) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ other engines */

typedef struct PeerList {
    int count;
    Method methods[8];
} PeerList;

static void describe(const PeerEngine *e, Method *m)
{
    snprintf(m->id, sizeof m->id, "%s", e->id);
    snprintf(m->title, sizeof m->title, "%s", e->title);
    snprintf(m->note, sizeof m->note, "%.60s: %.130s", e->version(), e->setting);
    m->family = FAMILY_PEER;
    m->knob = e->by_accuracy ? KNOB_TOLERANCE : KNOB_STEPS;
}

/* What a module holds, asked in a child. */
static PeerList ask_module(const char *path)
{
    PeerList list = {.count = 0};
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child < 0)
        return list;
    if (child == 0) {
        const PeerEngine *const *engines = child_load(path);
        for (; engines != NULL && list.count < 8 && engines[list.count] != NULL; list.count++)
            describe(engines[list.count], &list.methods[list.count]);
        child_hand_back(to, &list, sizeof list);
    }
    if (!child_receive(from, &list, sizeof list))
        list.count = 0;
    close(from);
    child_end(child);
    return list;
}

static int add_module(Method *out, int count, int capacity, const char *path)
{
    PeerList list = ask_module(path);
    for (int i = 0; i < list.count && count < capacity; i++) {
        out[count] = list.methods[i];
        snprintf(out[count].module, sizeof out[count].module, "%s", path);
        out[count++].engine = i;
    }
    return count;
}

int list_methods(Method *out, int capacity)
{
    static const char *const files[] = {"peer_mujoco.so", "peer_ode.so", "peer_simbody.so"};
    int count = 0;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0] && count < capacity; i++, count++) {
        Method *m = &out[count];
        *m = ours[i];
        m->missing = !have_stepper(m->stepper);
        snprintf(m->title, sizeof m->title, "%s, %s%s", m->stepper, m->solver,
                 strcmp(m->coords, "maximal") == 0 ? ", maximal" : "");
        if (m->order == 1)
            snprintf(m->title, sizeof m->title, "%s, order 1, %s", m->stepper, m->solver);
    }
    char program[256] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%.*s%s", length > 0 ? (int)length : 0, program, files[i]);
        if (access(path, R_OK) == 0)
            count = add_module(out, count, capacity, path);
    }
    return count;
}
