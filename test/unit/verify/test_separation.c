/* test_separation.c - the verifier's distance against the library's own, on pairs of every kind of convex shape. */
#include "check_near.h"
#include "pair_maker.h"
#include "verify/separation.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The piece that a shape is. */
static RgPiece piece_of(RgArena *arena, const MadeShape *shape)
{
    RgPiece piece = {.kind = RG_PIECE_HULL};
    RgPose here = pose_identity();
    const double *s = shape->def.size;
    bool made = false;
    if (shape->def.type == RG_SHAPE_sphere)
        made = rg_piece_sphere(arena, &here, s[0], &piece);
    else if (shape->def.type == RG_SHAPE_box)
        made = rg_piece_box(arena, &here, s, &piece);
    else if (shape->def.type == RG_SHAPE_capsule)
        made = rg_piece_capsule(arena, &here, s[0], s[1], &piece);
    else if (shape->def.type == RG_SHAPE_cylinder)
        made = rg_piece_cylinder(arena, &here, s[0], s[1], &piece);
    else if (shape->def.type == RG_SHAPE_ellipsoid)
        made = rg_piece_ellipsoid(arena, &here, s, &piece);
    else if (shape->def.type == RG_SHAPE_halfspace)
        made = rg_piece_halfspace(arena, &here, &piece);
    else {
        RgPolytopeView v = rg_geometry_polytope(shape->geometry, 0);
        RgPieceFaces faces = {v.nvertices, v.nfaces, v.vertices, v.face_start, v.face_vertices};
        const char *wrong = NULL;
        made = rg_piece_polytope(arena, &here, &faces, &piece, &wrong);
        cr_assert_null(wrong, "%s", wrong);
    }
    cr_assert(made);
    return piece;
}

/* What is compared, and how well it must agree, as a part of the size. */
typedef struct Wanted {
    bool depths;
    double error;
} Wanted;

typedef struct Worst {
    double error; /* as a part of the size */
    int compared, overlaps;
} Worst;

static void compare(Draw *d, MadeShape *a, MadeShape *b, const Wanted *wanted, Worst *worst)
{
    RgArena arena;
    rg_arena_init(&arena, &(RgAllocator){0});
    RgPiece pa = piece_of(&arena, a), pb = piece_of(&arena, b);
    for (int k = 0; k < 25; k++) {
        MadePair pair = made_pair_draw(d, a, b);
        RgPlaced A = {a->geometry, pair.X_WA}, B = {b->geometry, pair.X_WB};
        RgDistance theirs;
        if (rg_distance(&A, &B, NULL, &theirs) != RG_OK)
            continue;
        if (theirs.distance < 0.0 && !wanted->depths)
            continue;
        RgPlacedPiece placed_a = {&pa, pair.X_WA.R, pair.X_WA.p}, placed_b = {&pb, pair.X_WB.R, pair.X_WB.p};
        RgSeparation ours = rg_separation(&placed_a, &placed_b);
        double off = fabs(ours.distance - theirs.distance) - theirs.error;
        worst->compared++;
        worst->overlaps += theirs.distance < 0.0;
        cr_expect(off <= wanted->error * pair.size, "%s-%s mode %d: %.17g, the library %.17g +- %g, size %g, error %g",
                  rg_shape_type_name(a->def.type), rg_shape_type_name(b->def.type), (int)pair.mode, ours.distance,
                  theirs.distance, theirs.error, pair.size, ours.error);
        worst->error = fmax(worst->error, off / pair.size);
    }
    rg_arena_free(&arena);
}

static Worst compare_kinds(uint64_t seed, const RgShapeType *kinds, int count, int rounds, const Wanted *wanted)
{
    Draw d = draw_seed(seed);
    Worst worst = {0.0, 0, 0};
    for (int i = 0; i < rounds; i++) {
        MadeShape a = made_shape_draw(&d, kinds[draw_below(&d, count)]);
        MadeShape b = made_shape_draw(&d, kinds[draw_below(&d, count)]);
        made_shape_prepare(&a);
        made_shape_prepare(&b);
        if (a.def.type != RG_SHAPE_halfspace || b.def.type != RG_SHAPE_halfspace)
            compare(&d, &a, &b, wanted, &worst);
        made_shape_release(&a);
        made_shape_release(&b);
    }
    return worst;
}

Test(separation, hulls_agree_with_the_library)
{
    static const RgShapeType kinds[] = {RG_SHAPE_box, RG_SHAPE_polytope, RG_SHAPE_sphere, RG_SHAPE_capsule,
                                        RG_SHAPE_halfspace};
    Worst worst = compare_kinds(71, kinds, 5, 11000, &(Wanted){false, 1e-12});
    printf("%d pairs, worst %g of the size\n", worst.compared, worst.error);
    cr_expect_gt(worst.compared, 100000);
}

Test(separation, depths_of_small_polytopes_agree)
{
    static const RgShapeType kinds[] = {RG_SHAPE_box};
    Worst worst = compare_kinds(72, kinds, 1, 800, &(Wanted){true, 1e-12});
    printf("%d pairs, %d overlap, worst %g of the size\n", worst.compared, worst.overlaps, worst.error);
    cr_expect_gt(worst.overlaps, 3000);
}

Test(separation, round_kinds_agree_with_the_library)
{
    static const RgShapeType kinds[] = {RG_SHAPE_cylinder, RG_SHAPE_ellipsoid, RG_SHAPE_box};
    Worst worst = compare_kinds(73, kinds, 3, 400, &(Wanted){false, 1e-10});
    printf("%d pairs, worst %g of the size\n", worst.compared, worst.error);
}
