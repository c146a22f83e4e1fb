/* scene_contacts.c - the runs, and the heap of all kinds. */
#include "scene_contacts.h"

#include "scene_parts.h"

#include <stdio.h>

const ContactCase contact_cases[] = {{"pile of balls", "S2", 72, 10e-3, 80},    {"careless stacks", "S1j", 0, 5e-3, 60},
                                     {"kicked wall", "S3k", 0, 10e-3, 10},      {"quadruped", "S5", 0, 1e-3, 100},
                                     {"heap of all kinds", NULL, 0, 4e-3, 160}, {0}};

const ContactCase contact_cases_exact[] = {{"few balls", "S2", 24, 10e-3, 40},
                                           {"careless stacks, begun", "S1j", 0, 5e-3, 15},
                                           {"quadruped, begun", "S5", 0, 1e-3, 20},
                                           {"heap, begun", NULL, 0, 4e-3, 110},
                                           {0}};

const char *const contact_solvers_exact[] = {"cone",    "cone-convex",     "dantzig", "lemke", "no-slip",
                                             "viscous", "max-dissipation", "qp",      NULL};

const ContactCase contact_case_long = {"S2", "S2", 0, 10e-3, 2000};

/* ------------------------------------------------------------------ the heap */

enum { HEAP = 14, FIELD = 9 };

static RgShapeDef heap_shape(int i)
{
    static const RgShapeType kinds[] = {RG_SHAPE_sphere,    RG_SHAPE_box,      RG_SHAPE_capsule, RG_SHAPE_cylinder,
                                        RG_SHAPE_ellipsoid, RG_SHAPE_polytope, RG_SHAPE_mesh};
    static const double points[] = {0.0,     0.0,   -0.125, 0.125,   0.0,    0.0625,
                                    -0.0625, 0.125, 0.0625, -0.0625, -0.125, 0.0625};
    static const int32_t faces[] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    RgShapeDef shape = rg_shape_def_default();
    shape.type = kinds[i % 7];
    for (int k = 0; k < 3; k++)
        shape.size[k] = 0.0625 + 0.03125 * ((i + k) % 3);
    if (shape.type == RG_SHAPE_polytope || shape.type == RG_SHAPE_mesh) {
        shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
        shape.mesh.vertices = points;
        shape.mesh.nvertices = 4;
    }
    if (shape.type == RG_SHAPE_mesh) {
        shape.mesh.faces = faces;
        shape.mesh.nfaces = 4;
    }
    shape.surface.mu = 0.25 + 0.125 * (i % 4);
    shape.surface.restitution = i % 5 == 0 ? 0.5 : 0.0;
    shape.surface.restitution_threshold = 0.125;
    shape.surface.rolling = i % 3 == 0 ? 0.01 : 0.0;
    shape.surface.torsional = i % 3 == 1 ? 0.01 : 0.0;
    return shape;
}

/* Bodies one above the other in a bowl of a heightfield; every fourth hangs by a hinge on the one before. */
static RgModel *heap_create(void)
{
    static char names[2 * HEAP][8];
    static double heights[FIELD * FIELD];
    RgBuilder *b = scene_begin("heap of all kinds");
    RgShapeDef field = rg_shape_def_default();
    for (int i = 0; i < FIELD * FIELD; i++) {
        double x = i % FIELD - FIELD / 2, y = (double)(i / FIELD) - FIELD / 2;
        heights[i] = 0.03125 * (x * x + y * y) + (i % 3 == 0 ? 0.015625 : 0.0);
    }
    field.type = RG_SHAPE_heightfield;
    field.size[0] = field.size[1] = 2.0;
    field.size[2] = 1.0;
    field.heights = heights;
    field.rows = field.columns = FIELD;
    rg_builder_add_shape(b, &field);
    RgLinkId last = {0};
    for (int i = 0; i < HEAP; i++) {
        RgShapeDef shape = heap_shape(i);
        RgVec3 p = vec(0.0625 * (i % 3) - 0.0625, 0.03125 * (i % 5) - 0.0625, 0.5 + 0.25 * i);
        snprintf(names[i], sizeof names[i], "b%d", i);
        shape.link = link_add_at(b, names[i], inertia_diagonal(1.0 + i % 3, vec(0, 0, 0), vec(0.004, 0.005, 0.006)),
                                 place_at(p.x, p.y, p.z));
        rg_builder_add_shape(b, &shape);
        if (i % 4 == 3) {
            RgJointDef hinge =
                joint_at(RG_JOINT_revolute, names[HEAP + i], last, shape.link, vec(0.0, 0.0, 0.25), vec(1, 1, 0));
            snprintf(names[HEAP + i], sizeof names[HEAP + i], "j%d", i);
            hinge.dof[0].lower = -0.5;
            hinge.dof[0].upper = 0.5;
            hinge.dof[0].friction = 0.01;
            joint_add(b, &hinge);
        }
        last = shape.link;
    }
    return scene_end(b);
}

/* ------------------------------------------------------------------ runs */

bool contact_run_begin(const ContactCase *from, RgWorldDef def, ContactRun *run)
{
    *run = (ContactRun){.def = def};
    if (from->scene == NULL) {
        run->model = heap_create();
    } else {
        run->data = scene_data_create(from->scene);
        if (run->data == NULL)
            return false;
        if (from->bodies > 0)
            run->data->nbodies = run->data->nshapes = from->bodies;
        run->model = scene_model_create(run->data, NULL);
    }
    run->def.model = run->model;
    if (run->data != NULL && run->model != NULL) {
        run->drives = scene_drives_begin(run->data, run->model);
        run->def.input = scene_drive_input;
        run->def.input_context = &run->drives;
    }
    return run->model != NULL;
}

void contact_run_end(ContactRun *run)
{
    if (run->data != NULL && run->model != NULL)
        scene_drives_end(&run->drives);
    rg_model_destroy(run->model);
    if (run->data != NULL)
        scene_data_destroy(run->data);
}

RgWorld *contact_run_world(const ContactRun *run)
{
    RgWorld *world = rg_world_create(&run->def, NULL);
    if (world != NULL && run->data != NULL && scene_model_start(run->data, world) != RG_OK) {
        rg_world_destroy(world);
        return NULL;
    }
    return world;
}

bool contact_run_steps(RgWorld *world, double h, int steps)
{
    for (int i = 0; i < steps; i++)
        if (rg_world_step(world, h, NULL) != RG_OK)
            return false;
    return true;
}
