/*
 * broadphase_peers.cpp - 10,000 moving boxes (bench_boxes.h): update and pairs, RgSpace beside Bullet's
 * btDbvtBroadphase.
 *
 * A frame, for both: every box gets its new pose, its bounding box follows from it, and all pairs are asked
 * for. Frames of the two libraries alternate; the median is reported. Every 20th frame the pairs whose boxes
 * overlap are counted by sorting and sweeping, and that number must be in both answers (Bullet keeps pairs
 * whose boxes have parted, and computes in float: its list is sifted by the same boxes first).
 */
#include "broadphase_peers.h"

#include "bench_boxes.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Ours {
    RgSpace *space;
    std::vector<RgGeometry *> geometry;
    std::vector<RgColliderId> id;
    const RgColliderPair *pairs;
    int32_t count;

    explicit Ours(const BenchBox *boxes)
        : geometry(BENCH_BOXES_COUNT, nullptr), id(BENCH_BOXES_COUNT), pairs(nullptr), count(0)
    {
        space = bench_boxes_space(boxes, geometry.data(), id.data());
        expect(space != nullptr, "the space");
    }

    ~Ours()
    {
        rg_space_destroy(space);
        for (RgGeometry *g : geometry)
            rg_geometry_destroy(g);
    }

    void frame(const BenchBox *boxes)
    {
        for (size_t i = 0; i < id.size(); i++)
            rg_space_move(space, id[i], &boxes[i].X_WB);
        expect(rg_space_pairs(space, 0.0, &pairs, &count) == RG_OK, "rg_space_pairs");
    }
};

struct Theirs {
    btDbvtBroadphase tree;
    std::vector<std::unique_ptr<btBoxShape>> shape;
    std::vector<btBroadphaseProxy *> proxy;
    std::vector<btTransform> X;

    static btTransform transform(const RgPose &X)
    {
        btScalar m[9];
        for (int i = 0; i < 9; i++)
            m[i] = btScalar(X.R.m[i / 3][i % 3]);
        return btTransform(btMatrix3x3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]),
                           btVector3(btScalar(X.p.x), btScalar(X.p.y), btScalar(X.p.z)));
    }

    explicit Theirs(const BenchBox *boxes) : X(BENCH_BOXES_COUNT)
    {
        for (size_t i = 0; i < BENCH_BOXES_COUNT; i++) {
            RgVec3 full = boxes[i].full;
            btVector3 half(btScalar(0.5 * full.x), btScalar(0.5 * full.y), btScalar(0.5 * full.z)), low, high;
            shape.emplace_back(new btBoxShape(half));
            shape[i]->setMargin(0);
            shape[i]->getAabb(transform(boxes[i].X_WB), low, high);
            void *number = reinterpret_cast<void *>(i);
            proxy.push_back(tree.createProxy(low, high, BOX_SHAPE_PROXYTYPE, number, 1, -1, nullptr));
        }
    }

    ~Theirs()
    {
        for (btBroadphaseProxy *p : proxy)
            tree.destroyProxy(p, nullptr);
    }

    /* Poses as its own transforms, before the time is taken. */
    void prepare(const BenchBox *boxes)
    {
        for (size_t i = 0; i < X.size(); i++)
            X[i] = transform(boxes[i].X_WB);
    }

    void frame()
    {
        for (size_t i = 0; i < proxy.size(); i++) {
            btVector3 low, high;
            shape[i]->getAabb(X[i], low, high);
            tree.setAabb(proxy[i], low, high, nullptr);
        }
        tree.calculateOverlappingPairs(nullptr);
    }

    int count_true(const BenchBox *boxes)
    {
        int count = 0;
        btBroadphasePairArray &pairs = tree.getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < pairs.size(); i++)
            count += bench_boxes_touch(&boxes[reinterpret_cast<size_t>(pairs[i].m_pProxy0->m_clientObject)],
                                       &boxes[reinterpret_cast<size_t>(pairs[i].m_pProxy1->m_clientObject)]);
        return count;
    }
};

double median(std::vector<double> &times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void run(double speed, int frames)
{
    BenchBox *boxes = bench_boxes_create(speed);
    expect(boxes != nullptr, "memory");
    std::vector<double> our_times, their_times;
    int pairs = 0, missed_ours = 0, missed_theirs = 0, extra_ours = 0;
    {
        Ours ours(boxes);
        Theirs theirs(boxes);
        for (int k = 0; k < frames; k++) {
            bench_boxes_move(boxes);
            theirs.prepare(boxes);
            double t0 = now();
            ours.frame(boxes);
            double t1 = now();
            theirs.frame();
            double t2 = now();
            our_times.push_back(t1 - t0);
            their_times.push_back(t2 - t1);
            if (k % 20 != 19)
                continue;
            pairs = bench_boxes_overlaps(boxes);
            missed_ours += std::max(0, pairs - ours.count);
            extra_ours += std::max(0, ours.count - pairs);
            missed_theirs += pairs - theirs.count_true(boxes);
        }
    }
    std::free(boxes);
    double a = median(our_times), b = median(their_times);
    std::printf(
        "%8.0f m/s %8d pairs   Rigor %8.0f us   Bullet %8.0f us   %5.2fx   missed: Rigor %d (extra %d), "
        "Bullet %d\n",
        speed, pairs, 1e6 * a, 1e6 * b, b / a, missed_ours, extra_ours, missed_theirs);
    std::fflush(stdout);
}

} // namespace

void broadphase_table(bool quick)
{
    std::printf("Broad phase: %d moving boxes, update and pairs, one frame\n", BENCH_BOXES_COUNT);
    run(1.0, quick ? 40 : 200);
    run(10.0, quick ? 40 : 200);
}
