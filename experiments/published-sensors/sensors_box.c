/*
 * sensors_box.c - a box of 1 kg and 1 m that is pushed with 1 N along x and stays (gazebo-classic #3040).
 *
 * Whole: friction is (-1, 0), the normal forces sum to m g. Of a corner nothing is determined but ranges: the step is
 * written to a file and its problem solved exactly; of all forces that obey the law with these velocities, two convex
 * programs a number give the least and the greatest (rg_problem_file_forces).
 */
#include "sensors_parts.h"

#include "lab.h"
#include "vectors.h"

#include <rigor/problem.h>

#include <math.h>
#include <stdlib.h>

#define G 9.8
#define H 1e-3
#define CORNERS 4
#define ODE_SIDEWAYS 0.341303 /* N: of one corner, across the push */

static RgModel *box_model(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(1.0, 0.0); /* Gazebo's */
    bodies_add_floor(b, &surface);
    bodies_add(b, &(BodyDef){.name = "box",
                             .type = RG_SHAPE_box,
                             .size = {1.0, 1.0, 1.0},
                             .mass = 1.0,
                             .p = {0.0, 0.0, 0.5},
                             .surface = surface});
    return bodies_end(lab, b);
}

static void tell_corners(Lab *lab, RgWorld *world, const char *form)
{
    const RgContactForce *force = NULL;
    RgVec3 sum = vec(0, 0, 0);
    double sideways = 0.0;
    int n = rg_world_contact_forces(world, &force);
    for (int i = 0; i < n; i++) {
        double sign = force[i].normal.z > 0.0 ? 1.0 : -1.0; /* on the box, whichever shape is B */
        RgVec3 f = vec_scale(sign, force[i].force);
        sum = vec_add(sum, f);
        sideways = fmax(sideways, fabs(f.y));
        lab_say(lab, "%s, corner at (%.2f, %.2f): force (%.6f, %.6f, %.6f) N", form, force[i].point.x, force[i].point.y,
                f.x, f.y, f.z);
    }
    PublishedWay way = {.name = form};
    lab_measured(lab, published_row("sideways force of a corner", &way), sideways);
    lab_measured(lab, published_row("error of the sum of corner forces", &way), vec_distance(sum, vec(-1.0, 0.0, G)));
}

/* Of the next step: ranges of the corner forces, N. */
static void tell_ranges(Lab *lab, RgWorld *world)
{
    RgError error;
    const char *path = lab_print(lab, "%s/pushed_box.step", lab_folder(lab));
    RgProblemFile *file = NULL;
    RgProblemSolver *solver = NULL;
    RgProblemOptions options = rg_problem_options_default();
    RgProblemReport report;
    RgProblemForces forces;
    RgContactForceRange ranges[2 * CORNERS];
    if (rg_world_dump_step(world, H, path, &error) == RG_OK)
        file = rg_problem_file_read(path, "step", NULL, &error);
    if (file && rg_problem_file_info(file).contacts == CORNERS)
        solver = rg_problem_solver_create(file, "cone", &options, &error);
    if (solver && rg_problem_solver_run(solver, &report) == RG_OK &&
        rg_problem_file_forces(file, rg_problem_solver_solution(solver), 0, &forces, ranges) == RG_OK) {
        double reach = 0.0, normal = 0.0;
        for (int i = 0; i < CORNERS; i++) {
            lab_say(lab, "corner %d, %s: normal %.4f ... %.4f, tangents %.4f ... %.4f and %.4f ... %.4f N", i,
                    ranges[i].state, ranges[i].low[0] / H, ranges[i].high[0] / H, ranges[i].low[1] / H,
                    ranges[i].high[1] / H, ranges[i].low[2] / H, ranges[i].high[2] / H);
            for (int k = 1; k < 3; k++)
                reach = fmax(reach, fmin(-ranges[i].low[k], ranges[i].high[k]) / H);
            normal = fmax(normal, ranges[i].high[0] / H);
        }
        lab_measured(lab, "corners whose force is not unique", forces.not_unique);
        lab_holds(lab, "the ranges hold what ODE told of a corner", reach >= ODE_SIDEWAYS);
        lab_measured(lab, "largest normal force of a corner that obeys the law", normal);
    }
    rg_problem_solver_free(solver);
    rg_problem_file_free(file);
}

void sensors_box(Lab *lab)
{
    static const char *const forms[2] = {"minimal", "maximal"};
    RgModel *model = box_model(lab);
    for (int form = 0; form < 2; form++) {
        RgWorld *world = sensors_world(lab, model, forms[form], NULL);
        bool good =
            world && rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){.f = vec(1.0, 0.0, 0.0)}) == RG_OK;
        for (int i = 0; good && i < 1000; i++)
            good = rg_world_step(world, H, NULL) == RG_OK;
        if (good)
            tell_corners(lab, world, forms[form]);
        if (good && form == 0)
            tell_ranges(lab, world);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
