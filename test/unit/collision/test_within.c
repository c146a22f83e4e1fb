/*
 * test_within.c - rg_within against rg_distance: all convex kinds, parts, surfaces, any margin, any cache.
 */
#include "geometries.h"
#include "pair_maker.h"

#include <criterion/criterion.h>

#include <string.h>

#define SHAPES 21
#define PAIRS 6000

/* Margins about the distance d of a pair of a size: clear ones, ones nearer than any bound on the way can
   tell, and d. */
static double draw_margin(Draw *d, double distance, double size)
{
    static const double off[] = {0.0, 1e-15, 1e-13, 1e-12, 1e-10, 1e-8, 1e-4, 0.1, 10.0};
    double sign = draw_below(d, 2) == 0 ? -1.0 : 1.0;
    if (draw_below(d, 3) == 0)
        return 0.0;
    return distance + sign * size * off[draw_below(d, (int)(sizeof off / sizeof off[0]))];
}

/* rg_within says what rg_distance says, either way round; with a cache too, but where the last bits of the
   distance decide, which the cache may change. */
static void check_pair(const RgPlaced *a, const RgPlaced *b, double margin, RgPairCache *cache, const char *what)
{
    RgDistance at = {.distance = NAN}, warm = {.distance = NAN};
    RgStatus status = rg_distance(a, b, NULL, &at);
    bool usable = status == RG_OK || status == RG_ERR_NOT_CONVERGED, wanted = usable && at.distance <= margin;
    for (int way = 0; way < 4; way++) {
        const RgPlaced *first = way % 2 == 0 ? a : b, *second = way % 2 == 0 ? b : a;
        RgPairCache copy = *cache;
        rg_distance(first, second, &copy, &warm);
        bool close = usable && fabs(at.distance - margin) <= at.error + warm.error, got = !wanted;
        RgStatus said = rg_within(first, second, margin, way < 2 ? NULL : cache, &got);
        cr_assert(got == wanted || (way >= 2 && close),
                  "%s, way %d: distance %.17g (warm %.17g), margin %.17g: within %d", what, way, at.distance,
                  warm.distance, margin, got);
        cr_assert(said == status || (usable && (said == RG_OK || way >= 2)), "%s, way %d: status %d, not %d", what, way,
                  said, status);
    }
}

Test(within, convex_pairs)
{
    Draw d = draw_seed(11);
    MadeShape shape[SHAPES];
    RgPairCache cache = {.part_a = 0}; /* the same for all: of other shapes, and of any age */
    int within = 0;
    for (int i = 0; i < SHAPES; i++) {
        shape[i] = made_shape_draw(&d, pair_kinds[i % PAIR_KINDS]);
        made_shape_prepare(&shape[i]);
    }
    for (int k = 0; k < PAIRS; k++) {
        MadeShape *a = &shape[draw_below(&d, SHAPES)], *b = &shape[draw_below(&d, SHAPES)];
        if (a->def.type == RG_SHAPE_halfspace && b->def.type == RG_SHAPE_halfspace)
            continue;
        MadePair pair = made_pair_draw(&d, a, b);
        RgPlaced A = {a->geometry, pair.X_WA}, B = {b->geometry, pair.X_WB};
        RgDistance at;
        rg_distance(&A, &B, NULL, &at);
        double margin = draw_margin(&d, at.distance, pair.size);
        if (draw_below(&d, 4) == 0)
            memset(&cache, 0, sizeof cache);
        check_pair(&A, &B, margin, &cache, "convex");
        within += at.distance <= margin;
    }
    cr_assert(within > PAIRS / 5 && within < PAIRS - PAIRS / 5);
    for (int i = 0; i < SHAPES; i++)
        made_shape_release(&shape[i]);
}

/* Face above face, edge across edge: gaps of 1e-10 and less of either sign, margin 0. */
Test(within, touching_boxes)
{
    static const double gap[] = {1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 0.0, -1e-14, -1e-12, -1e-10, -1e-8, -1e-6};
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 0.8, 0.6);
    RgPairCache cache = {.part_a = 0};
    for (size_t i = 0; i < sizeof gap / sizeof gap[0]; i++) {
        RgPlaced A = {box, rg_pose_identity()}, B = {box, rg_pose_identity()};
        B.X_WG.p = vec(0.1, -0.2, 0.6 + gap[i]);
        check_pair(&A, &B, 0.0, &cache, "face on face");
        check_pair(&A, &B, gap[i], &cache, "face on face, margin the gap");
        if (fabs(gap[i]) >= 1e-12) {
            bool got;
            cr_assert(rg_within(&A, &B, 0.0, NULL, &got) == RG_OK && got == (gap[i] < 0.0), "gap %g", gap[i]);
        }
        RgMat3 turn = mat_turn(vec(1.0, 0.0, 0.0), 0.25 * 3.141592653589793);
        B.X_WG = (RgPose){mat_mul(mat_turn(vec(0.0, 0.0, 1.0), 0.3), turn),
                          vec(0.0, 0.0, 0.3 + gap[i] + 0.5 * 1.4 * sqrt(0.5))};
        check_pair(&A, &B, 0.0, &cache, "edge on face");
    }
    rg_geometry_destroy(box);
}

/* Two tetrahedra as parts, as one hull, and as a surface. */
static RgGeometry *make_mesh(RgMeshUse use)
{
    static const double xyz[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 1};
    static const int32_t faces[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7};
    static const int32_t part_start[3] = {0, 4, 8};
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){.vertices = xyz, .nvertices = 8, .faces = faces, .nfaces = 8};
    def.mesh.part_start = part_start;
    def.mesh.nparts = 2;
    def.mesh_use = use;
    return make_geometry(&def);
}

Test(within, parts_and_surfaces)
{
    RgGeometry *g[] = {make_mesh(RG_MESH_PARTS), make_mesh(RG_MESH_HULL), make_mesh(RG_MESH_SURFACE),
                       make_shape(RG_SHAPE_box, 1.0, 0.8, 0.6)};
    Draw d = draw_seed(12);
    RgPairCache cache = {.part_a = 0};
    for (int k = 0; k < 1500; k++) {
        RgPlaced A = {g[draw_below(&d, 4)], draw_pose(&d, 1.0)}, B = {g[draw_below(&d, 4)], draw_pose(&d, 2.5)};
        RgDistance at = {.distance = 0.0};
        rg_distance(&A, &B, NULL, &at);
        check_pair(&A, &B, draw_margin(&d, at.distance, 1.0), &cache, "mesh");
    }
    for (int i = 0; i < 4; i++)
        rg_geometry_destroy(g[i]);
}

Test(within, arguments)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgPlaced A = {box, rg_pose_identity()}, B = {box, rg_pose_identity()};
    bool got = false;
    B.X_WG.p = vec(5.0, 0.0, 0.0);
    cr_assert(rg_within(NULL, &B, 0.0, NULL, &got) == RG_ERR_ARGUMENT);
    cr_assert(rg_within(&A, &B, 0.0, NULL, NULL) == RG_ERR_ARGUMENT);
    cr_assert(rg_within(&A, &B, NAN, NULL, &got) == RG_ERR_ARGUMENT);
    cr_assert(rg_within(&A, &B, INFINITY, NULL, &got) == RG_OK && got);
    cr_assert(rg_within(&A, &B, -INFINITY, NULL, &got) == RG_OK && !got);
    rg_geometry_destroy(box);
}
