/*
 * collision_peers.cpp - rigor-bench-collision: the queries of bench_pairs.h put to Rigor, libccd, FCL and
 * Bullet, one after the other in one run, same poses in the same order.
 *
 *   rigor-bench-collision [--quick] [distance] [broadphase]
 *
 * Rigor    distance, cold and warm; "hit" is rg_within at margin 0, the question that libccd answers
 * libccd   2.1, double: MPR and GJK, answer "hit or not" only; support functions as its README writes them
 * FCL      0.7, double: fcl::distance with nearest points, its two solvers (libccd's and its own); signed
 *          distance is asked of the first only where the shapes overlap
 * Bullet   3.24 as Debian builds it, float: btGjkPairDetector with the EPA depth solver. Once with all
 *          margins 0 (a capsule's is its radius), so that distances mean the same; once with its default
 *          margins, which round the corners of a box and grow a polytope (taken off again): the error shows
 *          what that does
 *
 * Poses are given to each library in its own types beforehand. Time: best of several rounds through all
 * 2,048 queries, rounds of all libraries in turn. Error: largest |distance - Rigor's|, where Rigor's own is
 * that from the oracle's bounds; "wrong": answers on the wrong side of touching.
 */
#include "bench_pairs.h"
#include "peers/broadphase_peers.h"

extern "C" {
#include "convex_oracle.h"
}

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <fcl/fcl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {

/* One library with one setting. Answers: distances, or for hit-or-not calls -infinity for a hit, else
   +infinity. */
struct Engine {
    const char *name;
    bool distances;
    Engine(const char *its_name, bool has_distances) : name(its_name), distances(has_distances)
    {
    }
    virtual ~Engine()
    {
    }
    virtual void round(double *answers) = 0; /* all queries */
};

/* ------------------------------------------------------------------ Rigor */

struct Rigor : Engine {
    const BenchPairs &p;
    bool warm;
    Rigor(const BenchPairs &pairs, bool with_cache)
        : Engine(with_cache ? "Rigor warm" : "Rigor", true), p(pairs), warm(with_cache)
    {
    }

    void round(double *answers) override
    {
        RgPairCache caches[BENCH_PATHS];
        std::memset(caches, 0, sizeof caches);
        RgPlaced A = {p.a, p.X_WA[0]}, B = {p.b, p.X_WB[0]};
        for (int i = 0; i < BENCH_QUERIES; i++) {
            RgDistance r;
            A.X_WG = p.X_WA[i];
            B.X_WG = p.X_WB[i];
            rg_distance(&A, &B, warm ? &caches[i % BENCH_PATHS] : nullptr, &r);
            answers[i] = r.distance;
        }
    }
};

/* Hit or not, the question that libccd answers. */
struct RigorWithin : Engine {
    const BenchPairs &p;
    bool warm;
    RigorWithin(const BenchPairs &pairs, bool with_cache)
        : Engine(with_cache ? "Rigor hit warm" : "Rigor hit", false), p(pairs), warm(with_cache)
    {
    }

    void round(double *answers) override
    {
        RgPairCache caches[BENCH_PATHS];
        std::memset(caches, 0, sizeof caches);
        RgPlaced A = {p.a, p.X_WA[0]}, B = {p.b, p.X_WB[0]};
        for (int i = 0; i < BENCH_QUERIES; i++) {
            bool hit = false;
            A.X_WG = p.X_WA[i];
            B.X_WG = p.X_WB[i];
            rg_within(&A, &B, 0.0, warm ? &caches[i % BENCH_PATHS] : nullptr, &hit);
            answers[i] = hit ? -HUGE_VAL : HUGE_VAL;
        }
    }
};

/* ------------------------------------------------------------------ libccd */

struct CcdBody {
    const RgShapeDef *def;
    ccd_vec3_t pos;
    ccd_quat_t quat;
};

void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const CcdBody *body = static_cast<const CcdBody *>(object);
    const RgShapeDef *def = body->def;
    ccd_vec3_t dir;
    ccd_quat_t inverse;
    ccdVec3Copy(&dir, direction);
    ccdQuatInvert2(&inverse, &body->quat);
    ccdQuatRotVec(&dir, &inverse);
    if (def->type == RG_SHAPE_box) {
        ccdVec3Set(out, ccdSign(ccdVec3X(&dir)) * def->size[0] * 0.5,
                   ccdSign(ccdVec3Y(&dir)) * def->size[1] * 0.5,
                   ccdSign(ccdVec3Z(&dir)) * def->size[2] * 0.5);
    } else if (def->type == RG_SHAPE_capsule) {
        ccdVec3Copy(out, &dir);
        ccdVec3Scale(out, def->size[0] / std::sqrt(ccdVec3Len2(&dir)));
        out->v[2] += ccdSign(ccdVec3Z(&dir)) * def->size[1] * 0.5;
    } else {
        const double *v = def->mesh.vertices, *best = v;
        double most = -HUGE_VAL;
        for (int i = 0; i < def->mesh.nvertices; i++, v += 3) {
            double value = v[0] * dir.v[0] + v[1] * dir.v[1] + v[2] * dir.v[2];
            if (value > most) {
                most = value;
                best = v;
            }
        }
        ccdVec3Set(out, best[0], best[1], best[2]);
    }
    ccdQuatRotVec(out, &body->quat);
    ccdVec3Add(out, &body->pos);
}

void ccd_centre(const void *object, ccd_vec3_t *centre)
{
    ccdVec3Copy(centre, &static_cast<const CcdBody *>(object)->pos);
}

struct Ccd : Engine {
    std::vector<CcdBody> a, b;
    bool mpr;
    ccd_t ccd;

    static CcdBody body(const RgShapeDef &def, const RgPose &X)
    {
        CcdBody body;
        RgQuat q = rg_pose_quat(&X);
        body.def = &def;
        ccdVec3Set(&body.pos, X.p.x, X.p.y, X.p.z);
        ccdQuatSet(&body.quat, q.x, q.y, q.z, q.w);
        return body;
    }

    Ccd(const BenchPairs &p, bool use_mpr)
        : Engine(use_mpr ? "libccd MPR" : "libccd GJK", false), mpr(use_mpr)
    {
        for (int i = 0; i < BENCH_QUERIES; i++) {
            a.push_back(body(p.def_a, p.X_WA[i]));
            b.push_back(body(p.def_b, p.X_WB[i]));
        }
        CCD_INIT(&ccd);
        ccd.support1 = ccd.support2 = ccd_support;
        ccd.center1 = ccd.center2 = ccd_centre;
        ccd.max_iterations = 100;
    }

    void round(double *answers) override
    {
        for (int i = 0; i < BENCH_QUERIES; i++) {
            size_t k = size_t(i);
            int hit = mpr ? ccdMPRIntersect(&a[k], &b[k], &ccd) : ccdGJKIntersect(&a[k], &b[k], &ccd);
            answers[i] = hit ? -HUGE_VAL : HUGE_VAL;
        }
    }
};

/* ------------------------------------------------------------------ FCL */

struct Fcl : Engine {
    std::shared_ptr<fcl::CollisionGeometryd> a, b;
    std::vector<fcl::Transform3d> X_a, X_b;
    fcl::DistanceRequestd request;

    static std::shared_ptr<fcl::CollisionGeometryd> shape(const RgShapeDef &def, const RgGeometry *geometry)
    {
        if (def.type == RG_SHAPE_box)
            return std::make_shared<fcl::Boxd>(def.size[0], def.size[1], def.size[2]);
        if (def.type == RG_SHAPE_capsule)
            return std::make_shared<fcl::Capsuled>(def.size[0], def.size[1]);
        RgPolytopeView view = rg_geometry_polytope(geometry, 0);
        auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
        auto faces = std::make_shared<std::vector<int>>();
        for (int i = 0; i < view.nvertices; i++)
            vertices->emplace_back(view.vertices[i].x, view.vertices[i].y, view.vertices[i].z);
        for (int i = 0; i < view.nfaces; i++) {
            faces->push_back(view.face_start[i + 1] - view.face_start[i]);
            faces->insert(faces->end(), view.face_vertices + view.face_start[i],
                          view.face_vertices + view.face_start[i + 1]);
        }
        return std::make_shared<fcl::Convexd>(vertices, view.nfaces, faces);
    }

    static fcl::Transform3d transform(const RgPose &X)
    {
        fcl::Transform3d T = fcl::Transform3d::Identity();
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                T.linear()(i, j) = X.R.m[i][j];
        T.translation() = fcl::Vector3d(X.p.x, X.p.y, X.p.z);
        return T;
    }

    Fcl(const BenchPairs &p, BenchGap gap, bool own) : Engine(own ? "FCL own" : "FCL libccd", true)
    {
        a = shape(p.def_a, p.a);
        b = shape(p.def_b, p.b);
        for (int i = 0; i < BENCH_QUERIES; i++) {
            X_a.push_back(transform(p.X_WA[i]));
            X_b.push_back(transform(p.X_WB[i]));
        }
        request.enable_nearest_points = true;
        request.enable_signed_distance = gap == BENCH_TOUCH_IN && !own;
        request.gjk_solver_type = own ? fcl::GST_INDEP : fcl::GST_LIBCCD;
    }

    void round(double *answers) override
    {
        for (int i = 0; i < BENCH_QUERIES; i++) {
            fcl::DistanceResultd result;
            answers[i] = fcl::distance(a.get(), X_a[size_t(i)], b.get(), X_b[size_t(i)], request, result);
        }
    }
};

/* ------------------------------------------------------------------ Bullet */

struct Bullet : Engine {
    bool margins;
    double grown; /* m by which the shapes are larger than they should be, together */
    std::unique_ptr<btConvexShape> a, b;
    std::vector<btTransform> X_a, X_b;

    std::unique_ptr<btConvexShape> shape(const RgShapeDef &def)
    {
        std::unique_ptr<btConvexShape> s;
        if (def.type == RG_SHAPE_capsule) {
            s.reset(new btCapsuleShapeZ(btScalar(def.size[0]), btScalar(def.size[1])));
            return s;
        }
        if (def.type == RG_SHAPE_box) {
            s.reset(new btBoxShape(btVector3(btScalar(0.5 * def.size[0]), btScalar(0.5 * def.size[1]),
                                             btScalar(0.5 * def.size[2]))));
        } else {
            btConvexHullShape *hull = new btConvexHullShape();
            for (int i = 0; i < def.mesh.nvertices; i++) {
                const double *v = def.mesh.vertices + 3 * i;
                hull->addPoint(btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2])), false);
            }
            hull->recalcLocalAabb();
            s.reset(hull);
            grown += margins ? double(hull->getMargin()) : 0.0;
        }
        if (!margins)
            s->setMargin(0);
        return s;
    }

    static btTransform transform(const RgPose &X)
    {
        btScalar m[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                m[i][j] = btScalar(X.R.m[i][j]);
        btMatrix3x3 R(m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2]);
        return btTransform(R, btVector3(btScalar(X.p.x), btScalar(X.p.y), btScalar(X.p.z)));
    }

    Bullet(const BenchPairs &p, bool with_margins)
        : Engine(with_margins ? "Bullet margin" : "Bullet", true), margins(with_margins), grown(0.0)
    {
        a = shape(p.def_a);
        b = shape(p.def_b);
        for (int i = 0; i < BENCH_QUERIES; i++) {
            X_a.push_back(transform(p.X_WA[i]));
            X_b.push_back(transform(p.X_WB[i]));
        }
    }

    void round(double *answers) override
    {
        btVoronoiSimplexSolver simplex;
        btGjkEpaPenetrationDepthSolver depth;
        btGjkPairDetector detector(a.get(), b.get(), &simplex, &depth);
        for (int i = 0; i < BENCH_QUERIES; i++) {
            btGjkPairDetector::ClosestPointInput input;
            input.m_transformA = X_a[size_t(i)];
            input.m_transformB = X_b[size_t(i)];
            btPointCollector result;
            detector.getClosestPoints(input, result, nullptr);
            answers[i] = result.m_hasResult ? double(result.m_distance) + grown : std::nan("");
        }
    }
};

/* ------------------------------------------------------------------ table */

struct Column {
    std::unique_ptr<Engine> engine;
    std::vector<double> answers;
    double best; /* s a round */
};

/* How far Rigor's answers are from what the oracle's bounds allow, over a few queries. */
double own_error(const BenchPairs &p, BenchShapes shapes)
{
    RgPolytopeView view_a = rg_geometry_polytope(p.a, 0), view_b = rg_geometry_polytope(p.b, 0);
    bool large = shapes == BENCH_POLYTOPES_1000;
    OracleShape *a = oracle_create(&p.def_a, large ? &view_a : nullptr);
    OracleShape *b = oracle_create(&p.def_b, large ? &view_b : nullptr);
    expect(a != nullptr && b != nullptr, "the oracle's hull");
    double worst = 0.0;
    for (int k = 0; k < 16; k++) {
        int i = k * (BENCH_QUERIES / 16);
        RgPlaced A = {p.a, p.X_WA[i]}, B = {p.b, p.X_WB[i]};
        RgDistance r;
        expect(rg_distance(&A, &B, nullptr, &r) == RG_OK, "rg_distance");
        if (large && r.distance < 0.0 && k > 0)
            continue; /* a second each */
        oracle_move(a, &A.X_WG);
        oracle_move(b, &B.X_WG);
        OracleBounds truth = r.distance > 0.0 ? oracle_proof(a, b, &r) : oracle_bounds(a, b, &r);
        worst = std::max(worst,
                         std::max(std::fabs(r.distance - truth.lower), std::fabs(r.distance - truth.upper)));
    }
    oracle_destroy(a);
    oracle_destroy(b);
    return worst;
}

void print_column(const Column &c, const std::vector<Column> &all, double error_of_ours)
{
    double ns = 1e9 * c.best / BENCH_QUERIES, worst = 0.0;
    int wrong = 0;
    const std::vector<double> &truth = all[0].answers;
    for (size_t i = 0; i < BENCH_QUERIES; i++) {
        wrong += !(c.answers[i] > 0.0) != !(truth[i] > 0.0);
        if (c.engine->distances)
            worst = std::max(worst, std::fabs(c.answers[i] - truth[i]));
    }
    char error[32] = "hit only";
    if (c.engine->distances)
        std::snprintf(error, sizeof error, "%.1e", &c == &all[0] ? error_of_ours : worst);
    std::printf("    %-16s %10.0f ns %8.2fx %8.2fx %12s m %6d\n", c.engine->name, ns, c.best / all[0].best,
                c.best / all[1].best, error, wrong);
}

void distance_table(BenchShapes shapes, BenchGap gap, int rounds)
{
    BenchPairs p = bench_pairs_create(shapes, gap);
    expect(p.a != nullptr, bench_shapes_name[shapes]);
    std::vector<Column> columns;
    Engine *engines[] = {new Rigor(p, false),      new Rigor(p, true),    new RigorWithin(p, false),
                         new RigorWithin(p, true), new Ccd(p, true),      new Ccd(p, false),
                         new Fcl(p, gap, false),   new Fcl(p, gap, true), new Bullet(p, false),
                         new Bullet(p, true)};
    for (Engine *engine : engines)
        columns.push_back(
            Column{std::unique_ptr<Engine>(engine), std::vector<double>(BENCH_QUERIES), HUGE_VAL});
    for (int k = 0; k < rounds; k++)
        for (Column &c : columns) {
            double start = now();
            c.engine->round(c.answers.data());
            c.best = std::min(c.best, now() - start);
        }
    std::printf("%s, %s\n", bench_shapes_name[shapes], bench_gap_name[gap]);
    double error = own_error(p, shapes);
    for (const Column &c : columns)
        print_column(c, columns, error);
    std::fflush(stdout);
    bench_pairs_destroy(&p);
}

} // namespace

int main(int argc, char **argv)
{
    bool quick = false, distance = false, broadphase = false;
    for (int i = 1; i < argc; i++) {
        quick |= std::strcmp(argv[i], "--quick") == 0;
        distance |= std::strcmp(argv[i], "distance") == 0;
        broadphase |= std::strcmp(argv[i], "broadphase") == 0;
    }
    bool all = !distance && !broadphase;
    if (all || distance) {
        std::printf("Distance queries: time, ratio to Rigor without and with its cache, error, answers of "
                    "the wrong sign of %d\n",
                    BENCH_QUERIES);
        for (int shapes = 0; shapes < BENCH_SHAPES; shapes++)
            for (int gap = 0; gap < BENCH_GAPS; gap++)
                distance_table(BenchShapes(shapes), BenchGap(gap), quick ? 3 : 15);
    }
    if (all || broadphase)
        broadphase_table(quick);
    return 0;
}
