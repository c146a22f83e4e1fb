/*
 * scene_file.h - scenes in motion as text files (.scene), for tests and benchmarks.
 *
 * One record a line, `#` begins a comment; SI; quaternions w x y z; a body's frame is its centre of mass with principal
 * axes.
 *
 *   dt S | steps N | gravity x y z | mu M | plane 0/1 (floor z = 0) | every N (sampling) | measure WORD body mass Ix Iy
 *   Iz px py pz qw qx qy qz vx vy vz wx wy wz group box hx hy hz px py pz qw qx qy qz | sphere r px py pz | capsule r
 *   halflength px py pz qw qx qy qz | hull n x1 y1 z1 ... hinge a b ax ay az ux uy uz lo hi kp kd target amp freq phase
 *   armature damping stiffness nocollide a b | self 0/1
 *
 * Shapes belong to the last body. A body of mass 0 is static, unless it is the child b of a hinge: then it is a
 * massless carrier between two hinges, which needs armature (minimal form only). Bodies of one group (>= 0) never
 * touch; with `self 1` they do, but for nocollide pairs and joint neighbours. a = -1: the world. lo >= hi: no limit.
 * Effort of a hinge: kp (target + amp sin(2 pi freq t + phase) - q) - kd dq/dt. Restitution is 0.
 *
 * Body i becomes link i + 1, hinge i joint i + 1; all joint coordinates are 0 at the start.
 */
#ifndef BENCH_SCENE_FILE_H
#define BENCH_SCENE_FILE_H

#include <rigor/rigor.h>

typedef struct SceneFileBody {
    double mass;
    RgVec3 moments;
    RgPose X_WB;
    RgVec3 v, w; /* world axes, at the start */
    int group, line;
    bool is_static;
} SceneFileBody;

typedef struct SceneFileHinge {
    int parent, child; /* -1: the world */
    RgVec3 anchor, axis;
    double lower, upper;
    double kp, kd, target, amplitude, frequency, phase;
    double armature, damping, stiffness;
    int line;
    int q_index, v_index; /* in the model */
} SceneFileHinge;

/* A shape fixed in a body, as RgShapeDef has it: full lengths, the capsule's axis segment. */
typedef struct SceneFileShape {
    RgShapeType type; /* box, sphere, capsule or polytope */
    int body, line, nvertices;
    double size[3];
    RgPose X_BS;
    double *vertices; /* 3 * nvertices, in the body's frame; NULL: none */
} SceneFileShape;

/* Two bodies that never touch. */
typedef struct SceneFilePair {
    int a, b, line;
} SceneFilePair;

typedef struct SceneFile {
    double dt, mu;
    int steps, every;
    bool has_floor;
    bool self; /* bodies of one group touch */
    RgVec3 gravity;
    char measure[24];
    SceneFileBody *bodies;
    SceneFileHinge *hinges;
    SceneFileShape *shapes;
    SceneFilePair *pairs;
    int nbodies, nhinges, nshapes, npairs;
    RgModel *model;
    double *v; /* nv: velocities at the start */
} SceneFile;

/* NULL: error (not NULL) names file, line and what was expected. */
SceneFile *scene_file_read(const char *path, RgError *error);
void scene_file_destroy(SceneFile *scene);

/* Default settings with the scene's model, gravity and PD efforts. The scene must outlive the world. */
RgWorldDef scene_file_world_def(SceneFile *scene);

/* The scene's velocities. */
RgStatus scene_file_start(const SceneFile *scene, RgWorld *world);

#endif
