/*
 * fuzz_hull.c - any bytes as a cloud of points or as a mesh: in one plane but for the last digits, at the
 * same place, on circles, tiny, huge, not finite. What is refused must say why; what is made must be a
 * closed convex polytope with all points inside.
 */
#include "fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_POINTS 120
#define MAX_FACES 120

/* Part of the largest coordinate by which a point may lie outside: round-off, and faces made one that
   almost are. */
#define INSIDE 1e-11

typedef struct Cloud {
    double xyz[3 * MAX_POINTS];
    int32_t faces[3 * MAX_FACES];
    int32_t part_start[3];
    RgShapeDef def;
} Cloud;

static void take_point(Bytes *b, int kind, double scale, double flat, double *p)
{
    if (kind == 0) {
        for (int i = 0; i < 3; i++)
            p[i] = take_raw(b);
        return;
    }
    if (kind == 1) {
        /* On one of a few circles. */
        double angle = take(b) * (6.283185307179586 / 24.0);
        int ring = take(b) % 4;
        p[0] = scale * cos(angle) * (1 + ring / 2);
        p[1] = scale * sin(angle) * (1 + ring / 2);
        p[2] = scale * flat * (ring % 2);
        return;
    }
    RgVec3 v = take_vec(b, scale);
    if (kind == 2)
        v = (RgVec3){rint(4.0 * v.x / scale) * scale, rint(4.0 * v.y / scale) * scale, rint(4.0 * v.z / scale) * scale};
    p[0] = v.x;
    p[1] = v.y;
    p[2] = flat * v.z;
    if (kind == 3)
        p[2] += v.x / 3.0 + v.y / 7.0; /* a slanted plane: the points lie in it to round-off alone */
}

static void take_cloud(Bytes *b, Cloud *c)
{
    int kind = take(b) % 5, use = take(b) % 5;
    double scale = take_size(b), flat = pow(10.0, -(take(b) % 18));
    c->def = rg_shape_def_default();
    c->def.type = use == 0 ? RG_SHAPE_polytope : RG_SHAPE_mesh;
    c->def.mesh_use = (RgMeshUse)(use % 4);
    c->def.size[0] = c->def.size[1] = c->def.size[2] = 1.0;
    int faces = use == 0 ? 0 : take(b) % MAX_FACES;
    for (int i = 0; i < 3 * faces; i++)
        c->faces[i] = take(b) % MAX_POINTS;
    int count = 0;
    while (b->left > 0 && count < MAX_POINTS)
        take_point(b, kind, scale, flat, c->xyz + 3 * count++);
    for (int i = 0; i < 3 * faces; i++)
        c->faces[i] %= count > 0 ? count : 1;
    c->def.mesh.vertices = c->xyz;
    c->def.mesh.nvertices = count;
    c->def.mesh.faces = faces > 0 ? c->faces : NULL;
    c->def.mesh.nfaces = faces;
    if (use == 4 && faces > 1) {
        c->part_start[0] = 0;
        c->part_start[1] = faces / 2;
        c->part_start[2] = faces;
        c->def.mesh.part_start = c->part_start;
        c->def.mesh.nparts = 2;
        c->def.mesh_use = RG_MESH_PARTS;
    }
}

static double largest(const Cloud *c)
{
    double most = 0.0;
    for (int i = 0; i < 3 * c->def.mesh.nvertices; i++)
        most = fmax(most, fabs(c->xyz[i]));
    return most;
}

/* How far a point lies before the face. */
static double before(const RgPolytopeView *v, int face, RgVec3 p)
{
    RgVec3 n = v->face_normals[face], o = v->vertices[v->face_vertices[v->face_start[face]]];
    return n.x * (p.x - o.x) + n.y * (p.y - o.y) + n.z * (p.z - o.z);
}

static void check_part(const RgPolytopeView *v, double limit)
{
    MUST(v->nvertices >= 4 && v->nfaces >= 4 && v->nvertices - v->nedges + v->nfaces == 2);
    MUST(v->face_start[0] == 0 && v->face_start[v->nfaces] == 2 * v->nedges);
    for (int i = 0; i < v->nvertices; i++)
        MUST(vec_is_finite(v->vertices[i]));
    for (int i = 0; i < 2 * v->nedges; i++)
        MUST(v->edges[i] >= 0 && v->edges[i] < v->nvertices && v->face_vertices[i] >= 0 &&
             v->face_vertices[i] < v->nvertices);
    for (int f = 0; f < v->nfaces; f++) {
        RgVec3 n = v->face_normals[f];
        MUST(v->face_start[f + 1] >= v->face_start[f] + 3);
        MUST(fabs(sqrt(n.x * n.x + n.y * n.y + n.z * n.z) - 1.0) < 1e-12);
        for (int i = 0; i < v->nvertices; i++)
            MUST(before(v, f, v->vertices[i]) <= limit);
    }
}

static void check_made(const Cloud *c, const RgGeometry *geometry)
{
    RgGeometryInfo info = rg_geometry_info(geometry);
    double most = largest(c);
    MUST(vec_is_finite(info.low) && vec_is_finite(info.high) && vec_is_finite(info.centre) && isfinite(info.radius));
    MUST(isfinite(most)); /* what is not finite is refused */
    for (int part = 0; part < info.parts; part++) {
        RgPolytopeView v = rg_geometry_polytope(geometry, part);
        check_part(&v, INSIDE * most);
        /* A hull of everything holds every point. */
        for (int i = 0; i < c->def.mesh.nvertices && c->def.type == RG_SHAPE_polytope; i++)
            for (int f = 0; f < v.nfaces; f++)
                MUST(before(&v, f, (RgVec3){c->xyz[3 * i], c->xyz[3 * i + 1], c->xyz[3 * i + 2]}) <= INSIDE * most);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Cloud cloud;
    memset(&cloud, 0, sizeof cloud);
    Bytes b = {data, size};
    take_cloud(&b, &cloud);
    RgGeometry *geometry = NULL;
    RgError error = {0};
    RgStatus status = rg_geometry_create(&cloud.def, NULL, &geometry, &error);
    if (status == RG_OK) {
        MUST(geometry != NULL);
        check_made(&cloud, geometry);
    } else {
        MUST(geometry == NULL && error.text[0] != '\0');
    }
    rg_geometry_destroy(geometry);
    return 0;
}
