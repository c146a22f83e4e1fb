/*
 * cmd_collide.c - `rigor collide FILE`: contacts and distances of collision shapes in the initial state.
 *
 * Lists the pairs of collision shapes that may touch and are within --near, nearest first, each with its
 * signed distance, its nearest features and, if in contact, the kind of contact and its number of points.
 * The JSON also has witness points, normals and manifolds with all their points and ids.
 */
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "plan/plan_open.h"
#include "plan/plan_options.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_NEAR 0.1    /* m */
#define DEFAULT_MARGIN 1e-3 /* m */

static const RgOptionSpec collide_options[] = {
    {"near", "M", "list pairs within this distance, m (default 0.1; inf: all that may touch)"},
    {"margin", "M", "contact points with a gap up to this, m (default 0.001)"},
    {"points", "N", "points per manifold at most (default: all; 4 keeps four that span the area)"},
    {"ray", "X,Y,Z,DX,DY,DZ", "the first shape on a ray from (X,Y,Z) along (DX,DY,DZ), instead of the pairs"},
    {"self-collide", NULL, "links of one robot may touch each other, whatever the file says"},
    {"set", "JOINT=Q[,Q...]", "position of a joint or floating link, as for rigor run (may be repeated)"},
    RG_LOAD_OPTIONS,
    {"json", "OUT|-", "write everything as JSON, - for the standard output instead of the text"},
    {"quiet", NULL, "no warnings of the readers"},
};

/* Relative to the largest shape: a smaller depth is round-off, as in resting contact, and no overlap. */
#define ROUND_OFF 1e-9

/* The options and the results. */
typedef struct Survey {
    RgRun run;
    double near;
    RgManifoldOptions options;
    RgShapeDistance *distances; /* ndistances, nearest first */
    int ndistances;
    RgContactView contacts;
    double size; /* m, of the largest bounded collision shape; scale of round-off */
    int shapes;  /* collision shapes with geometry */
    int missing; /* collision shapes without geometry: mesh not found or not readable */
    bool apart;  /* some links of one robot may not touch each other */

    const char *ray_text; /* NULL: no ray */
    RgRay ray;
    RgShapeId ray_shape; /* null: no hit */
    RgRayHit hit;
} Survey;

/* ------------------------------------------------------------------ options */

static bool read_near(Survey *survey, const RgOptions *options)
{
    const char *text = rg_options_value(options, "near");
    if (text && strcmp(text, "inf") == 0)
        survey->near = INFINITY;
    else if (!rg_options_number(options, "near", 0, 1e9, &survey->near))
        return false;
    return true;
}

static bool read_ray(Survey *survey, const RgOptions *options)
{
    survey->ray_text = rg_options_value(options, "ray");
    if (!survey->ray_text)
        return true;
    double x[6];
    if (rg_number_list_parse(survey->ray_text, x, 6) != 6 || (x[3] == 0.0 && x[4] == 0.0 && x[5] == 0.0))
        return rg_options_complain(options, "--ray: '%s': expected X,Y,Z,DX,DY,DZ with a direction that is not zero",
                                   survey->ray_text);
    survey->ray = (RgRay){.origin = {x[0], x[1], x[2]}, .direction = {x[3], x[4], x[5]}, .reach = INFINITY};
    return true;
}

static bool read_options(Survey *survey, const RgOptions *options)
{
    survey->near = DEFAULT_NEAR;
    survey->options = rg_manifold_options_default();
    survey->options.margin = DEFAULT_MARGIN;
    double points = 0.0;
    if (!rg_plan_apply_load_options(&survey->run.plan, options) || !rg_plan_apply_set(&survey->run.plan, options) ||
        !read_near(survey, options) || !read_ray(survey, options) ||
        !rg_options_number(options, "margin", 0, 1e3, &survey->options.margin) ||
        !rg_options_number(options, "points", 1, 1000, &points))
        return false;
    if (points != floor(points))
        return rg_options_complain(options, "--points: expected a whole number");
    survey->options.max_points = (int32_t)points;
    survey->run.plan.quiet = rg_options_has(options, "quiet");
    for (int i = 0; rg_options_has(options, "self-collide") && i < survey->run.plan.nmodels; i++)
        survey->run.plan.models[i].self_collide = RG_SELF_COLLIDE_ON;
    return true;
}

/* ------------------------------------------------------------------ the search */

static int by_distance(const void *x, const void *y)
{
    const RgShapeDistance *a = x, *b = y;
    if (a->distance.distance != b->distance.distance)
        return a->distance.distance < b->distance.distance ? -1 : 1;
    int first = a->shape_a.i - b->shape_a.i;
    return first != 0 ? first : a->shape_b.i - b->shape_b.i;
}

/* The first call only counts the pairs. */
static RgStatus find_distances(Survey *survey, RgError *error)
{
    RgWorld *world = survey->run.world;
    int count;
    RgStatus status = rg_world_distances(world, survey->near, NULL, 0, &count, error);
    if (status != RG_OK)
        return status;
    survey->distances = rg_pool_take(&survey->run.plan.pool, (size_t)count + 1, sizeof *survey->distances);
    status = rg_world_distances(world, survey->near, survey->distances, count, &survey->ndistances, error);
    qsort(survey->distances, (size_t)survey->ndistances, sizeof *survey->distances, by_distance);
    return status;
}

/* Counts the collision shapes that have geometry and those that have none, and finds the largest. */
static RgStatus measure(Survey *survey, RgError *error)
{
    const RgModel *model = survey->run.model;
    int shapes = rg_model_info(model).shapes;
    for (int32_t i = 1; i <= shapes; i++) {
        RgPlaced placed;
        RgShapeInfo def = rg_model_shape(model, (RgShapeId){i});
        RgStatus status = rg_world_placed(survey->run.world, (RgShapeId){i}, &placed, error);
        if (status != RG_OK)
            return status;
        survey->missing += placed.geometry == NULL && !def.is_visual;
        if (placed.geometry == NULL)
            continue;
        survey->apart = survey->apart || (def.link.i > 0 && !rg_model_link(model, def.link).self_collide);
        double radius = rg_geometry_info(placed.geometry).radius;
        survey->size = isfinite(radius) ? fmax(survey->size, radius) : survey->size;
        survey->shapes++;
    }
    return RG_OK;
}

/* ------------------------------------------------------------------ text */

static const char *shape_name(Survey *survey, RgShapeId id)
{
    return rg_plan_shape_name(&survey->run.plan, survey->run.model, id);
}

static const char *feature_name(RgFeatureKind kind)
{
    static const char *const names[] = {"none", "vertex", "edge", "face"};
    return names[kind];
}

static const RgShapeContacts *find_contacts(const Survey *survey, const RgShapeDistance *pair)
{
    for (int32_t i = 0; i < survey->contacts.npairs; i++) {
        const RgShapeContacts *contacts = &survey->contacts.pairs[i];
        if (contacts->shape_a.i == pair->shape_a.i && contacts->shape_b.i == pair->shape_b.i)
            return contacts;
    }
    return NULL;
}

/* Whether a distance is positive beyond round-off. */
static bool is_apart(const Survey *survey, double distance)
{
    return distance > ROUND_OFF * survey->size;
}

static void print_contacts(const Survey *survey, const RgShapeContacts *contacts)
{
    int32_t points = 0;
    const RgManifold *first = &survey->contacts.manifolds[contacts->first_manifold];
    for (int32_t k = 0; k < contacts->nmanifolds; k++)
        points += first[k].count;
    printf("   %s: %s%s%d point%s", is_apart(survey, first->distance) ? "within the margin" : "in contact",
           first->touch != RG_TOUCH_none ? rg_touch_name(first->touch) : "",
           rg_touch_is_degenerate(first->touch) ? " (normal not unique), "
           : first->touch != RG_TOUCH_none      ? ", "
                                                : "",
           points, points == 1 ? "" : "s");
    if (contacts->nmanifolds > 1)
        printf(" in %d patches", contacts->nmanifolds);
}

static void print_pairs(Survey *survey)
{
    printf("%s: %d collision shape%s, %d pair%s that may touch", rg_model_info(survey->run.model).name, survey->shapes,
           survey->shapes == 1 ? "" : "s", survey->ndistances, survey->ndistances == 1 ? "" : "s");
    if (isfinite(survey->near))
        printf(" within %g m", survey->near);
    printf("\n");
    if (survey->missing > 0)
        printf("%d more without geometry: their meshes were not found or not read\n", survey->missing);
    if (survey->ndistances == 0 && survey->shapes > 1 && survey->apart)
        printf("links of one robot do not touch each other here (see --self-collide)\n");
    if (survey->ndistances > 0)
        printf("%14s  %-13s  pair\n", "distance m", "features");
    for (int i = 0; i < survey->ndistances; i++) {
        const RgShapeDistance *pair = &survey->distances[i];
        const RgDistance *d = &pair->distance;
        char features[24];
        snprintf(features, sizeof features, "%s-%s", feature_name(d->feature_a.kind), feature_name(d->feature_b.kind));
        printf("%14.6g  %-13s  %s - %s", d->distance + 0.0, features, shape_name(survey, pair->shape_a),
               shape_name(survey, pair->shape_b));
        const RgShapeContacts *contacts = find_contacts(survey, pair);
        if (contacts)
            print_contacts(survey, contacts);
        printf("\n");
    }
}

static void print_ray(Survey *survey)
{
    if (survey->ray_shape.i == 0)
        printf("the ray hits nothing\n");
    else
        printf("%s at %.9g m: point %.9g %.9g %.9g, normal %.6g %.6g %.6g\n", shape_name(survey, survey->ray_shape),
               survey->hit.distance, survey->hit.point.x, survey->hit.point.y, survey->hit.point.z,
               survey->hit.normal.x, survey->hit.normal.y, survey->hit.normal.z);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_feature(RgFeature feature)
{
    return json_pack("{s:s, s:i}", "kind", feature_name(feature.kind), "index", (int)feature.index);
}

static json_t *json_point(const RgContactPoint *point)
{
    json_t *out = json_object();
    char id[24];
    snprintf(id, sizeof id, "%016llx", (unsigned long long)point->id);
    RG_JSON_SET(out, {"id", json_string(id)}, {"gap", rg_json_number(point->gap)},
                {"point_a", rg_json_vec3(point->point_a)}, {"point_b", rg_json_vec3(point->point_b)},
                {"feature_a", json_feature(point->feature_a)}, {"feature_b", json_feature(point->feature_b)});
    return out;
}

static json_t *json_manifolds(const Survey *survey, const RgShapeContacts *contacts)
{
    json_t *all = json_array();
    for (int32_t k = 0; contacts && k < contacts->nmanifolds; k++) {
        const RgManifold *manifold = &survey->contacts.manifolds[contacts->first_manifold + k];
        json_t *points = json_array(), *out = json_object();
        for (int32_t i = 0; i < manifold->count; i++)
            json_array_append_new(points, json_point(&survey->contacts.points[manifold->first + i]));
        RG_JSON_SET(out, {"touch", json_string(rg_touch_name(manifold->touch))},
                    {"degenerate", json_boolean(rg_touch_is_degenerate(manifold->touch))},
                    {"normal", rg_json_vec3(manifold->normal)}, {"distance", rg_json_number(manifold->distance)},
                    {"part_a", json_integer(manifold->part_a)}, {"part_b", json_integer(manifold->part_b)},
                    {"points", points});
        json_array_append_new(all, out);
    }
    return all;
}

static json_t *json_pair(Survey *survey, const RgShapeDistance *pair)
{
    const RgDistance *d = &pair->distance;
    return RG_JSON_OBJECT({"shape_a", json_string(shape_name(survey, pair->shape_a))},
                          {"shape_b", json_string(shape_name(survey, pair->shape_b))},
                          {"distance", rg_json_number(d->distance)}, {"error", rg_json_number(d->error)},
                          {"point_a", rg_json_vec3(d->point_a)}, {"point_b", rg_json_vec3(d->point_b)},
                          {"normal", rg_json_vec3(d->normal)}, {"feature_a", json_feature(d->feature_a)},
                          {"feature_b", json_feature(d->feature_b)}, {"part_a", json_integer(d->part_a)},
                          {"part_b", json_integer(d->part_b)},
                          {"manifolds", json_manifolds(survey, find_contacts(survey, pair))});
}

static json_t *json_survey(Survey *survey)
{
    json_t *out = json_object();
    json_object_set_new(out, "name", rg_json_text(rg_model_info(survey->run.model).name));
    json_object_set_new(out, "collision_shapes", json_integer(survey->shapes));
    json_object_set_new(out, "without_geometry", json_integer(survey->missing));
    if (survey->ray_text) {
        json_t *hit = json_null();
        if (survey->ray_shape.i) {
            hit = json_pack("{s:s, s:f}", "shape", shape_name(survey, survey->ray_shape), "distance",
                            survey->hit.distance);
            json_object_set_new(hit, "point", rg_json_vec3(survey->hit.point));
            json_object_set_new(hit, "normal", rg_json_vec3(survey->hit.normal));
        }
        json_object_set_new(out, "hit", hit);
    } else {
        json_t *pairs = json_array();
        for (int i = 0; i < survey->ndistances; i++)
            json_array_append_new(pairs, json_pair(survey, &survey->distances[i]));
        json_object_set_new(out, "near", rg_json_number(survey->near));
        json_object_set_new(out, "pairs", pairs);
    }
    json_object_set_new(out, "warnings", rg_plan_json_remarks(&survey->run.plan));
    return out;
}

/* ------------------------------------------------------------------ the command */

static int answer(Survey *survey, const RgOptions *options)
{
    RgError error = {0};
    RgWorld *world = survey->run.world;
    RgStatus status = measure(survey, &error);
    if (status == RG_OK && survey->ray_text)
        status = rg_world_ray_cast(world, &survey->ray, UINT32_MAX, &survey->ray_shape, &survey->hit, &error);
    if (status == RG_OK && !survey->ray_text)
        status = find_distances(survey, &error);
    if (status == RG_OK && !survey->ray_text)
        status = rg_world_contacts(world, &survey->options, &survey->contacts, &error);
    if (status != RG_OK) {
        rg_error_print(&error);
        return RG_EXIT_FAILED;
    }
    const char *json = rg_options_value(options, "json");
    if (!json || strcmp(json, "-") != 0) {
        if (survey->ray_text)
            print_ray(survey);
        else
            print_pairs(survey);
    }
    if (json && !rg_json_write(json_survey(survey), json))
        return RG_EXIT_FAILED;
    bool overlaps = survey->ndistances > 0 && survey->distances[0].distance.distance < -ROUND_OFF * survey->size;
    return overlaps ? RG_EXIT_FAILED : RG_EXIT_OK;
}

static int run_collide(const RgOptions *options)
{
    Survey survey = {.near = DEFAULT_NEAR};
    RgError error = {0};
    int code = RG_EXIT_USAGE;
    if (rg_plan_open(&survey.run.plan, options->file, &error) != RG_OK) {
        rg_error_print(&error);
    } else if (read_options(&survey, options)) {
        rg_plan_drop_outputs(&survey.run.plan);
        RgStatus status = rg_run_start(&survey.run, &error);
        if (!survey.run.plan.quiet)
            rg_plan_print_remarks(&survey.run.plan);
        if (status == RG_OK)
            code = answer(&survey, options);
        else
            rg_error_print(&error);
    }
    rg_run_free(&survey.run);
    return code;
}

RG_COMMAND(collide, "list contacts and distances in the initial state, or what a ray hits", .run = run_collide,
           .notes =
               "Links welded together, and links that a joint connects, do not touch unless a run file includes the "
               "pair;\n"
               "links of one robot only where the file says self_collide, or with --self-collide. Meshes of moving "
               "links stand as the convex hulls of their parts, meshes of "
               "what\n"
               "stands still as their triangles. A negative distance is the depth of the least motion that parts the "
               "pair.\n"
               "An overlap deeper than round-off counts as an error found.\n");
