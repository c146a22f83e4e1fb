/*
 * test_distance_million.c - rg_distance against an oracle of its own (convex_oracle.h) on random pairs of
 * all convex kinds (pair_maker.h): size ratios up to 1e4, shapes 1000 times thinner than long, gaps from 1
 * down to 1e-10 of the size on both sides.
 *
 * `make test` tries a share; `make oracle` all 1,000,000, and prints the worst errors of every pair of kinds.
 * RIGOR_ORACLE_PAIRS sets the number, RIGOR_ORACLE_SEED the first batch, RIGOR_ORACLE_SHOW how many
 * failures are printed in full. A batch is one draw of shapes; it can be repeated alone by its seed.
 */
#include "check_near.h"
#include "pair_maker.h"

#include <stdlib.h>
#include <string.h>

/* Parts of the pair's size. */
#define APART 1e-12   /* distance where the shapes are apart or touch */
#define OVERLAP 1e-9  /* depth */
#define WITNESS 1e-14 /* point_b = point_a + distance * normal: round-off of coordinates a few sizes long */

#define SHARE 50000
#define BATCH_SHAPES 21
#define BATCH_PAIRS 400
#define SHOWN 10

/* What went wrong with a pair, as bits. */
enum { BAD_STATUS = 1, BAD_VALUE = 2, BAD_SIGN = 4, BAD_WITNESS = 8, BAD_PLACE = 16, BAD_SWAP = 32, BAD_PROOF = 64 };
#define BAD_KINDS 7
static const char *const bad_names[BAD_KINDS] = {"status", "value", "sign", "witness", "place", "swap", "proof"};

typedef struct Cell {
    int apart, overlap, bad;
    double worst_apart, worst_overlap; /* parts of the size */
    double worst_place;                /* witness points outside their shapes, part of the size */
    int most_iterations;
} Cell;

typedef struct Tally {
    Cell cell[PAIR_KINDS][PAIR_KINDS];
    int pairs, bad, kinds_of_bad[BAD_KINDS];
    int shown; /* so many failures are printed in full */
} Tally;

static bool same(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_feature(RgFeature a, RgFeature b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* The same bits with the roles changed. */
static bool is_swapped(const RgDistance *x, const RgDistance *y)
{
    return x->distance == y->distance && x->error == y->error && same(x->point_a, y->point_b) &&
           same(x->point_b, y->point_a) && same(x->normal, vec_scale(-1.0, y->normal)) &&
           same_feature(x->feature_a, y->feature_b) && same_feature(x->feature_b, y->feature_a) &&
           x->iterations == y->iterations;
}

/* Two shapes that are the same thing at the same place: nobody can tell which is which, and the answer is the same
   either way round. */
static bool is_one(const MadeShape *a, const MadeShape *b, const MadePair *p)
{
    return a->def.type == b->def.type && a->def.type != RG_SHAPE_polytope &&
           memcmp(a->def.size, b->def.size, sizeof a->def.size) == 0 && memcmp(&p->X_WA, &p->X_WB, sizeof p->X_WA) == 0;
}

/* Each witness point lies in its shape, and the shape behind the plane through it. */
static double place_error(const MadeShape *a, const MadeShape *b, const RgDistance *r)
{
    double worst = fmax(oracle_outside(a->oracle, r->point_a), oracle_outside(b->oracle, r->point_b));
    if (a->def.type == RG_SHAPE_halfspace || b->def.type == RG_SHAPE_halfspace)
        return worst;
    return fmax(worst, r->distance - oracle_separation(a->oracle, b->oracle, r->normal));
}

/* The facts about one answer. */
typedef struct Finding {
    RgDistance given;
    OracleBounds truth;
    double error, place; /* parts of the size */
    bool overlap;
    int bad;
} Finding;

static int judge_value(const MadePair *p, Finding *f)
{
    double d = f->given.distance, limit = f->overlap ? OVERLAP : APART;
    int bad = f->error <= limit ? 0 : BAD_VALUE;
    if (f->truth.lower > APART * p->size && d <= 0.0)
        bad |= BAD_SIGN;
    if (f->truth.upper < -APART * p->size && d >= 0.0)
        bad |= BAD_SIGN;
    if (p->gap > 0.0 && p->mode <= PAIR_ALIGNED && !(fabs(d - p->gap) <= APART * p->size))
        bad |= BAD_VALUE;
    if (!(f->given.error <= limit * p->size && f->error * p->size <= f->given.error + WITNESS * p->size))
        bad |= BAD_PROOF;
    return bad;
}

/* Witness points one above the other along a unit normal, each on its shape. */
static int judge_witness(const MadePair *p, Finding *f)
{
    const RgDistance *r = &f->given;
    RgVec3 off = vec_sub(vec_sub(r->point_b, r->point_a), vec_scale(r->distance, r->normal));
    int bad = 0;
    if (!(vec_norm(off) <= WITNESS * p->size && fabs(vec_norm(r->normal) - 1.0) <= WITNESS))
        bad |= BAD_WITNESS;
    if (!(f->place <= (f->overlap ? OVERLAP : APART)))
        bad |= BAD_PLACE;
    return bad;
}

static Finding judge(const MadeShape *a, const MadeShape *b, const MadePair *p)
{
    RgPlaced A = {a->geometry, p->X_WA}, B = {b->geometry, p->X_WB};
    Finding f = {.bad = 0};
    RgDistance back;
    RgStatus status = rg_distance(&A, &B, NULL, &f.given);
    if (status != RG_OK || !isfinite(f.given.distance) || !isfinite(f.given.error))
        f.bad |= BAD_STATUS;
    f.truth = oracle_bounds(a->oracle, b->oracle, &f.given);
    f.error = fmax(fabs(f.given.distance - f.truth.lower), fabs(f.truth.upper - f.given.distance)) / p->size;
    f.overlap = f.truth.upper < 0.0;
    f.place = place_error(a, b, &f.given) / p->size;
    f.bad |= judge_value(p, &f) | judge_witness(p, &f);
    RgStatus other = rg_distance(&B, &A, NULL, &back);
    if (other != status || !(is_swapped(&f.given, &back) || is_one(a, b, p)))
        f.bad |= BAD_SWAP;
    return f;
}

/* ------------------------------------------------------------------ many */

static int kind_number(RgShapeType type)
{
    int i = 0;
    while (pair_kinds[i] != type)
        i++;
    return i;
}

static Cell *cell_of(Tally *tally, RgShapeType a, RgShapeType b)
{
    int i = kind_number(a), j = kind_number(b);
    return i < j ? &tally->cell[i][j] : &tally->cell[j][i];
}

static void count_in(Tally *tally, Cell *cell, const Finding *f)
{
    tally->pairs++;
    *(f->overlap ? &cell->overlap : &cell->apart) += 1;
    double *worst = f->overlap ? &cell->worst_overlap : &cell->worst_apart;
    *worst = fmax(*worst, f->error);
    cell->worst_place = fmax(cell->worst_place, f->place);
    cell->most_iterations = f->given.iterations > cell->most_iterations ? f->given.iterations : cell->most_iterations;
    cell->bad += f->bad != 0;
    tally->bad += f->bad != 0;
    for (int i = 0; i < BAD_KINDS; i++)
        tally->kinds_of_bad[i] += f->bad >> i & 1;
}

static void show(const MadeShape *a, const MadeShape *b, const MadePair *p, const Finding *f, const char *where)
{
    char what[80] = "";
    for (int i = 0; i < BAD_KINDS; i++)
        if ((f->bad >> i & 1) != 0) {
            strcat(what, " ");
            strcat(what, bad_names[i]);
        }
    fprintf(stderr,
            "%s: kinds %d %d, mode %d, size %.3g, gap wanted %.3g: bad%s; distance %.17g, truth %.17g ... %.17g, "
            "error %.3g of the size, stated %.3g m, witness points outside by %.3g of the size, %d iterations\n",
            where, (int)a->def.type, (int)b->def.type, (int)p->mode, p->size, p->gap, what, f->given.distance,
            f->truth.lower, f->truth.upper, f->error, f->given.error, f->place, f->given.iterations);
}

/* One draw of shapes, three of each kind, and pairs among them. */
static void run_batch(uint64_t seed, int pairs, Tally *tally)
{
    Draw d = draw_seed(seed * 1000003); /* neighbouring seeds give one sequence of numbers, shifted: keep apart */
    MadeShape shape[BATCH_SHAPES];
    for (int i = 0; i < BATCH_SHAPES; i++) {
        shape[i] = made_shape_draw(&d, pair_kinds[i % PAIR_KINDS]);
        made_shape_prepare(&shape[i]);
    }
    for (int k = 0; k < pairs; k++) {
        int i = draw_below(&d, BATCH_SHAPES), j = draw_below(&d, BATCH_SHAPES - 1);
        j += j >= i;
        MadeShape *a = &shape[i], *b = &shape[j];
        if (a->def.type == RG_SHAPE_halfspace && b->def.type == RG_SHAPE_halfspace)
            continue;
        MadePair p = made_pair_draw(&d, a, b);
        Finding f = judge(a, b, &p);
        if (f.bad != 0 && tally->bad < tally->shown) {
            char where[64];
            snprintf(where, sizeof where, "batch %llu pair %d", (unsigned long long)seed, k);
            show(a, b, &p, &f, where);
        }
        count_in(tally, cell_of(tally, a->def.type, b->def.type), &f);
    }
    for (int i = 0; i < BATCH_SHAPES; i++)
        made_shape_release(&shape[i]);
}

static void print_table(Tally *tally)
{
    static const char *const names[PAIR_KINDS] = {"sphere",    "box",      "capsule",  "cylinder",
                                                  "ellipsoid", "polytope", "halfspace"};
    printf("%-22s %8s %12s %8s %12s %12s %6s %6s\n", "pair", "apart", "worst", "overlap", "worst", "witness", "steps",
           "bad");
    for (int i = 0; i < PAIR_KINDS; i++)
        for (int j = i; j < PAIR_KINDS; j++) {
            const Cell *c = &tally->cell[i][j];
            if (c->apart + c->overlap > 0)
                printf("%-10s %-11s %8d %12.2e %8d %12.2e %12.2e %6d %6d\n", names[i], names[j], c->apart,
                       c->worst_apart, c->overlap, c->worst_overlap, c->worst_place, c->most_iterations, c->bad);
        }
    printf("%d pairs, %d bad:", tally->pairs, tally->bad);
    for (int i = 0; i < BAD_KINDS; i++)
        printf(" %s %d", bad_names[i], tally->kinds_of_bad[i]);
    printf("; errors are parts of the pair's size\n");
    fflush(stdout);
}

static long number_from(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

Test(distance_million, agrees_with_the_oracle)
{
    long pairs = number_from("RIGOR_ORACLE_PAIRS", SHARE), seed = number_from("RIGOR_ORACLE_SEED", 1);
    bool loud = getenv("RIGOR_ORACLE_PAIRS") != NULL;
    static Tally tally;
    tally.shown = (int)number_from("RIGOR_ORACLE_SHOW", SHOWN);
    long shown = 0;
    while (tally.pairs < pairs) {
        long left = pairs - tally.pairs;
        run_batch((uint64_t)seed++, left < BATCH_PAIRS ? (int)left : BATCH_PAIRS, &tally);
        if (loud && tally.pairs >= shown + pairs / 20) {
            shown = tally.pairs;
            printf("%ld of %ld pairs, %d bad\n", shown, pairs, tally.bad);
            fflush(stdout);
        }
    }
    if (loud || tally.bad > 0)
        print_table(&tally);
    cr_expect(tally.bad == 0, "%d of %d pairs", tally.bad, tally.pairs);
}

/* Two boxes face to face, at any orientation and with any overlap of the faces: the sign of a gap of 1e-8
   is never missed, and the distance is the gap. */
Test(distance_million, faces_of_boxes_are_apart_where_they_are)
{
    static const double gaps[] = {1e-8, 1e-10, -1e-8, -1e-10};
    Draw d = draw_seed(7);
    int wrong = 0;
    double worst = 0.0;
    for (int k = 0; k < 2000; k++) {
        MadeShape a = {.def = rg_shape_def_default()}, b = {.def = rg_shape_def_default()};
        a.def.type = b.def.type = RG_SHAPE_box;
        for (int i = 0; i < 3; i++) {
            a.def.size[i] = draw_between(&d, 0.2, 2.0);
            b.def.size[i] = draw_between(&d, 0.2, 2.0);
        }
        made_shape_prepare(&a);
        made_shape_prepare(&b);
        RgPose X = draw_pose(&d, 1.0),
               turn = {mat_turn(vec(0.0, 0.0, 1.0), draw_between(&d, -3.1, 3.1)), {0.0, 0.0, 0.0}};
        for (int g = 0; g < 4; g++) {
            turn.p = vec(draw_between(&d, -0.1, 0.1), draw_between(&d, -0.1, 0.1),
                         0.5 * (a.def.size[2] + b.def.size[2]) + gaps[g]);
            RgPlaced A = {a.geometry, X}, B = {b.geometry, place_mul(X, turn)};
            RgDistance r;
            cr_assert(rg_distance(&A, &B, NULL, &r) == RG_OK);
            wrong += (r.distance > 0.0) != (gaps[g] > 0.0);
            worst = fmax(worst, fabs(r.distance - gaps[g]));
        }
        made_shape_release(&a);
        made_shape_release(&b);
    }
    cr_expect(wrong == 0, "%d of 8000 have the wrong sign", wrong);
    cr_expect(worst <= 1e-14, "distance off by %.3g m", worst);
}
