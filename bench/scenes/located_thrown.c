/* located_thrown.c - the die and the random throws: see located_thrown.h. */
#include "located_thrown.h"
#include "draw.h"

#define CORNERS 20

const char *const thrown_kinds[THROWN_KINDS] = {"cube", "tetra", "hull20", "box"};
const char *const thrown_grounds[THROWN_GROUNDS] = {"plane", "slope", "each-other"};

/* ------------------------------------------------------------------ the die */

RgModel *thrown_die_model(double mu)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef cube = located_box(1.0, 1.0, 1.0);
    cube.surface.mu = cube.surface.mu2 = mu;
    RgQuat turn = {-0.268313219646968, 0.485961557379617, 0.670301463326308, -0.492488912742678};
    RgVec3 place = vec(0.680375434309419, 1.788765853638190, 0.566198447517212);
    located_add_body(b, "die", &cube, 1.0, rg_pose_from_quat(place, turn));
    located_add_plane(b, vec(0.0, -5e-6, 0.0), vec(0.0, 1.0, 0.0), mu);
    return located_finish(b);
}

void thrown_die_start(RgWorld *world)
{
    located_set_twist(world, (RgLinkId){1}, vec(5.36459189623808, -4.44450578393624, 1.07939911590861),
                      vec(-0.452058962756794, 2.57741849523849, -2.70431054416313));
}

int thrown_die_face(RgWorld *world, double *angle)
{
    RgMat3 R = rg_world_link_pose(world, (RgLinkId){1}).R;
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(R.m[1][i]) > fabs(R.m[1][axis]))
            axis = i;
    double x = R.m[1][(axis + 1) % 3], y = R.m[1][(axis + 2) % 3];
    *angle = sqrt(x * x + y * y);
    return 2 * axis + (R.m[1][axis] < 0.0 ? 1 : 2);
}

/* ------------------------------------------------------------------ random throws */

/* points: room for CORNERS, which must live until the shape is added. */
static RgShapeDef draw_shape(Draw *d, int kind, double *points)
{
    static const double corner[4][3] = {{0.4, 0.4, 0.4}, {0.4, -0.4, -0.4}, {-0.4, 0.4, -0.4}, {-0.4, -0.4, 0.4}};
    if (kind == 0)
        return located_box(1.0, 1.0, 1.0);
    if (kind == 3)
        return located_box(1.0, 0.6, 0.3);
    if (kind == 1) {
        for (int i = 0; i < 12; i++)
            points[i] = corner[i / 3][i % 3] + draw_between(d, -0.1, 0.1);
        return located_hull(points, 4);
    }
    for (int i = 0; i < CORNERS; i++) {
        RgVec3 p = draw_direction(d);
        points[3 * i] = 0.5 * p.x;
        points[3 * i + 1] = 0.45 * p.y;
        points[3 * i + 2] = 0.4 * p.z;
    }
    return located_hull(points, CORNERS);
}

static RgPose draw_place(Draw *d, double side, double height)
{
    double q[4], size = 0.0;
    do {
        for (int i = 0; i < 4; i++)
            q[i] = draw_between(d, -1.0, 1.0);
        size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    } while (size < 0.01);
    RgVec3 p = draw_vec(d, side);
    p.z += height;
    return rg_pose_from_quat(p, (RgQuat){q[0], q[1], q[2], q[3]});
}

static int bodies_of(const Throw *t)
{
    return t->onto == 2 ? 3 : 1;
}

RgModel *thrown_model(const Throw *t)
{
    static const char *const names[] = {"a", "b", "c"};
    Draw d = draw_seed(t->seed);
    RgBuilder *b = rg_builder_create(NULL, NULL);
    bool pile = t->onto == 2;
    for (int i = 0; i < bodies_of(t); i++) {
        double points[3 * CORNERS];
        RgShapeDef shape = draw_shape(&d, t->kind, points);
        shape.surface.mu = shape.surface.mu2 = 1.0;
        RgPose X = pile ? draw_place(&d, 0.02, 1.1 + 1.9 * i) : draw_place(&d, 1.0, 2.5);
        located_add_body(b, names[i], &shape, 1.0, X);
    }
    RgVec3 up = t->onto == 1 ? vec(0.17364817766693033, 0.0, 0.98480775301220806) : vec(0.0, 0.0, 1.0);
    located_add_plane(b, vec(0.0, 0.0, 0.0), up, 1.0);
    return located_finish(b);
}

void thrown_start(const Throw *t, RgWorld *world)
{
    Draw d = draw_seed(t->seed + UINT64_C(1000003));
    bool pile = t->onto == 2;
    for (int i = 1; i <= bodies_of(t); i++) {
        RgVec3 w = draw_vec(&d, pile ? 5.0 : 10.0), v = draw_vec(&d, pile ? 0.5 : 10.0);
        located_set_twist(world, (RgLinkId){i}, w, v);
    }
}

bool thrown_must_rest(const Throw *t)
{
    return t->onto != 1;
}
