/*
 * surface_repair.c - converts a mesh as found in files into a surface for collision.
 *
 *   1. join     vertices at exactly the same position are merged (-0 is 0); vertices of no face are dropped
 *   2. sort     faces with two equal corners and duplicate faces (same corners, same orientation) are dropped
 *   3. link     the triangles of every edge are found: one or more than two: open; two with the edge in the same
 *               direction: turned; otherwise they are neighbours
 *   4. thin     triangles without area are dropped; the triangles beside one become neighbours through it
 *   5. turn     closed, but the sum of the tetrahedra over the faces is negative: all faces are turned over
 *
 * Closed means that after step 2 every edge has two triangles of consistent orientation: a triangle without area still
 * connects the surface, since its neighbours meet on its line. The surface is one-sided (a solid lies behind it) if it
 * is closed or at least oriented: no turned edge, and no edge with more than two triangles.
 *
 * Vertices, faces and edges are looked up in hash tables with linear probing; cost O(n). A mirroring scale turns every
 * face over, which step 2 reverts. Fails if no triangle remains.
 */
#include "geom/surface_repair.h"

#include "base/hash.h"

#include <string.h>

/* Smallest volume of an inside-out mesh, as a fraction of area times size: above the round-off of a flat mesh. */
#define INSIDE_OUT_THICKNESS 1e-13

static const char no_memory[] = "out of memory";

/* State of the repair. */
typedef struct Repair {
    const RgShape *shape;
    RgMeshReport *report;
    RgArena scratch;
    int32_t nv, nf;
    RgVec3 *vertex;
    int32_t *number; /* index of each vertex of the mesh after merging; -1: of no face */
    int32_t *face;   /* 3 nf */
    int32_t *beyond; /* 3 nf, as in RgLinkedMesh */
    int32_t crowded; /* number of edges with more than two triangles */
} Repair;

/* Size of a hash table for count entries that is at most half full. */
static uint64_t table_slots(int64_t count)
{
    uint64_t slots = 64;
    while (slots < 2 * (uint64_t)count)
        slots *= 2;
    return slots;
}

/* ------------------------------------------------------------------ 1 join */

/* Adding zero converts -0 to 0. */
static RgVec3 position_of(const RgShape *shape, int32_t i)
{
    return v3_add(rg_shape_vertex(shape, i), v3_zero());
}

static bool same_position(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool join_vertices(Repair *r)
{
    const RgMeshData *mesh = &r->shape->mesh;
    uint64_t mask = table_slots(mesh->nvertices) - 1;
    int32_t *table = RG_ARENA_ALLOC(&r->scratch, int32_t, mask + 1);
    r->number = RG_ARENA_ALLOC(&r->scratch, int32_t, mesh->nvertices);
    r->vertex = RG_ARENA_ALLOC(&r->scratch, RgVec3, mesh->nvertices);
    if (table == NULL || r->number == NULL || r->vertex == NULL)
        return false;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->nfaces; i++)
        r->number[mesh->faces[i]] = 1;
    for (int32_t i = 0; i < mesh->nvertices; i++) {
        if (r->number[i] == 0) {
            r->number[i] = -1;
            r->report->unused_vertices++;
            continue;
        }
        RgVec3 p = position_of(r->shape, i);
        uint64_t at = rg_hash(RG_HASH_START, &p, sizeof p) & mask;
        while (table[at] != 0 && !same_position(r->vertex[table[at] - 1], p))
            at = (at + 1) & mask;
        if (table[at] == 0) {
            r->vertex[r->nv++] = p;
            table[at] = r->nv;
        } else {
            r->report->merged_vertices++;
        }
        r->number[i] = table[at] - 1;
    }
    return true;
}

/* ------------------------------------------------------------------ 2 sort */

/* The corners of a face, starting with the lowest index, so that equal faces have equal keys. */
static void face_key(const int32_t *face, int32_t key[3])
{
    int first = face[0] < face[1] ? (face[0] < face[2] ? 0 : 2) : (face[1] < face[2] ? 1 : 2);
    for (int k = 0; k < 3; k++)
        key[k] = face[(first + k) % 3];
}

/* Adds the last face to the table. Returns false if an equal one is in it. */
static bool insert_face(const Repair *r, int32_t *table, uint64_t mask)
{
    int32_t key[3], other[3];
    face_key(r->face + 3 * (int64_t)r->nf, key);
    uint64_t at = rg_hash(RG_HASH_START, key, sizeof key) & mask;
    for (; table[at] != 0; at = (at + 1) & mask) {
        face_key(r->face + 3 * (int64_t)(table[at] - 1), other);
        if (memcmp(key, other, sizeof key) == 0)
            return false;
    }
    table[at] = r->nf + 1;
    return true;
}

static bool sort_faces(Repair *r)
{
    const RgMeshData *mesh = &r->shape->mesh;
    const double *size = r->shape->size;
    bool mirrored = (size[0] < 0.0) ^ (size[1] < 0.0) ^ (size[2] < 0.0);
    uint64_t mask = table_slots(mesh->nfaces) - 1;
    int32_t *table = RG_ARENA_ALLOC(&r->scratch, int32_t, mask + 1);
    r->face = RG_ARENA_ALLOC(&r->scratch, int32_t, 3 * (int64_t)mesh->nfaces);
    if (table == NULL || r->face == NULL)
        return false;
    for (int32_t i = 0; i < mesh->nfaces; i++) {
        const int32_t *given = mesh->faces + 3 * (int64_t)i;
        int32_t *face = r->face + 3 * (int64_t)r->nf;
        face[0] = r->number[given[0]];
        face[1] = r->number[given[mirrored ? 2 : 1]];
        face[2] = r->number[given[mirrored ? 1 : 2]];
        bool flat = face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
        if (!flat && insert_face(r, table, mask))
            r->nf++;
        else
            r->report->dropped_faces++;
    }
    return true;
}

/* ------------------------------------------------------------------ 3 link */

/* Directed edge k of face f has the index h = 3 f + k. */
static int32_t edge_start(const Repair *r, int32_t h)
{
    return r->face[h];
}

static int32_t edge_end(const Repair *r, int32_t h)
{
    return r->face[h % 3 == 2 ? h - 2 : h + 1];
}

/* Slot of the undirected edge of h. table: 1 + one directed edge of it. */
static uint64_t edge_slot(const Repair *r, const int32_t *table, uint64_t mask, int32_t h)
{
    int32_t a = edge_start(r, h), b = edge_end(r, h);
    int32_t key[2] = {a < b ? a : b, a < b ? b : a};
    uint64_t at = rg_hash(RG_HASH_START, key, sizeof key) & mask;
    for (; table[at] != 0; at = (at + 1) & mask) {
        int32_t c = edge_start(r, table[at] - 1), d = edge_end(r, table[at] - 1);
        if ((a == c && b == d) || (a == d && b == c))
            break;
    }
    return at;
}

/* Links one undirected edge; first: head of the chain of its directed edges. */
static void link_edge(Repair *r, const int32_t *next, int32_t first)
{
    int32_t second = next[first];
    if (second < 0 || next[second] >= 0) {
        r->report->open_edges++;
        r->crowded += second >= 0;
        return;
    }
    int32_t turned = edge_start(r, first) == edge_start(r, second);
    r->report->turned_edges += turned;
    r->beyond[first] = 2 * (second / 3) + turned;
    r->beyond[second] = 2 * (first / 3) + turned;
}

static bool link_edges(Repair *r)
{
    int32_t edges = 3 * r->nf;
    uint64_t mask = table_slots(edges) - 1;
    int32_t *table = RG_ARENA_ALLOC(&r->scratch, int32_t, mask + 1);
    int32_t *next = RG_ARENA_ALLOC(&r->scratch, int32_t, edges);
    r->beyond = RG_ARENA_ALLOC(&r->scratch, int32_t, edges);
    if (table == NULL || next == NULL || r->beyond == NULL)
        return false;

    /* Chains of the directed edges of each undirected edge, the last face first. */
    for (int32_t h = 0; h < edges; h++) {
        uint64_t at = edge_slot(r, table, mask, h);
        next[h] = table[at] - 1;
        table[at] = h + 1;
        r->beyond[h] = -1;
    }
    for (uint64_t at = 0; at <= mask; at++)
        if (table[at] != 0)
            link_edge(r, next, table[at] - 1);
    r->report->closed = r->report->open_edges == 0 && r->report->turned_edges == 0;
    return true;
}

/* ------------------------------------------------------------------ 4 thin */

static void face_corners(const Repair *r, int32_t f, RgVec3 corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = r->vertex[r->face[3 * (int64_t)f + k]];
}

/* Edge of face f to its neighbour `from`; -1: none. */
static int edge_towards(const Repair *r, int32_t f, int32_t from)
{
    for (int k = 0; k < 3; k++)
        if (r->beyond[3 * f + k] >= 0 && r->beyond[3 * f + k] / 2 == from)
            return k;
    return -1;
}

/*
 * The neighbour beyond edge h of a kept face, if a thin triangle lies there: the one beyond the thin triangle's other
 * edges that bends away most, since there the edge may be touched. normal[f].x is NaN for thin faces. If thin triangles
 * are adjacent the edge becomes open.
 */
static int32_t neighbour_through_thin(const Repair *r, const RgVec3 *normal, int32_t h)
{
    int32_t own = h / 3, thin = r->beyond[h] / 2, found = -1;
    int back = edge_towards(r, thin, own);
    RgVec3 along = v3_sub(r->vertex[edge_end(r, h)], r->vertex[edge_start(r, h)]);
    double most = -INFINITY;
    for (int k = 1; k < 3; k++) {
        int32_t code = r->beyond[3 * thin + (back + k) % 3];
        if (code < 0 || isnan(normal[code / 2].x) || code / 2 == own)
            continue;
        int32_t turned = (r->beyond[h] ^ code) & 1;
        RgVec3 beyond = v3_scale(turned ? -1.0 : 1.0, normal[code / 2]);
        double bend = v3_dot(v3_cross(normal[own], beyond), along);
        if (bend > most) {
            most = bend;
            found = 2 * (code / 2) + turned;
        }
    }
    return found;
}

/* Computes the normals of all faces, NaN for those without area, and the new index of each face, -1 for those. Returns
   how many remain. */
static int32_t mark_thin_faces(Repair *r, RgVec3 *normal, int32_t *renumbered)
{
    int32_t kept = 0;
    for (int32_t f = 0; f < r->nf; f++) {
        RgVec3 corner[3];
        face_corners(r, f, corner);
        bool solid = rg_surface_normal(corner, &normal[f]);
        if (!solid) {
            normal[f] = v3(NAN, NAN, NAN);
            r->report->dropped_faces++;
        }
        renumbered[f] = solid ? kept++ : -1;
    }
    return kept;
}

static bool drop_thin_faces(Repair *r, RgArena *arena, RgLinkedMesh *out)
{
    RgVec3 *normal = RG_ARENA_ALLOC(&r->scratch, RgVec3, r->nf);
    int32_t *renumbered = RG_ARENA_ALLOC(&r->scratch, int32_t, r->nf);
    if (normal == NULL || renumbered == NULL)
        return false;
    out->nf = mark_thin_faces(r, normal, renumbered);
    out->nv = r->nv;
    out->face = RG_ARENA_ALLOC(arena, int32_t, 3 * (int64_t)out->nf);
    out->beyond = RG_ARENA_ALLOC(arena, int32_t, 3 * (int64_t)out->nf);
    out->normal = RG_ARENA_ALLOC(arena, RgVec3, out->nf);
    out->vertex = RG_ARENA_ALLOC(arena, RgVec3, out->nv);
    if (out->face == NULL || out->beyond == NULL || out->normal == NULL || out->vertex == NULL)
        return false;
    memcpy(out->vertex, r->vertex, (size_t)out->nv * sizeof *out->vertex);
    for (int32_t h = 0; h < 3 * r->nf; h++) {
        int32_t to = renumbered[h / 3], code = r->beyond[h];
        if (to < 0)
            continue;
        if (code >= 0 && renumbered[code / 2] < 0)
            code = neighbour_through_thin(r, normal, h);
        out->normal[to] = normal[h / 3];
        out->face[3 * to + h % 3] = r->face[h];
        out->beyond[3 * to + h % 3] = code < 0 ? -1 : 2 * renumbered[code / 2] + (code & 1);
    }
    return true;
}

/* ------------------------------------------------------------------ 5 turn */

/* Returns true if the enclosed volume is negative by more than round-off. */
static bool is_inside_out(const RgLinkedMesh *mesh)
{
    RgVec3 low = mesh->vertex[0], high = low;
    for (int32_t i = 1; i < mesh->nv; i++) {
        low = lesser3(low, mesh->vertex[i]);
        high = greater3(high, mesh->vertex[i]);
    }
    RgVec3 middle = v3_axpy(0.5, v3_sub(high, low), low);
    double volume = 0.0, area = 0.0;
    for (int32_t f = 0; f < mesh->nf; f++) {
        const int32_t *face = mesh->face + 3 * (int64_t)f;
        RgVec3 a = v3_sub(mesh->vertex[face[0]], middle);
        RgVec3 b = v3_sub(mesh->vertex[face[1]], middle);
        RgVec3 c = v3_sub(mesh->vertex[face[2]], middle);
        volume += v3_dot(a, v3_cross(b, c)) / 6.0;
        area += 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    }
    return volume < -INSIDE_OUT_THICKNESS * area * v3_norm(v3_sub(high, low));
}

/* Corners 0 2 1 instead of 0 1 2: the edges are then 2, 1, 0. */
static void turn_over(RgLinkedMesh *mesh)
{
    for (int32_t f = 0; f < mesh->nf; f++) {
        int32_t *face = mesh->face + 3 * (int64_t)f, *beyond = mesh->beyond + 3 * (int64_t)f;
        int32_t corner = face[1], edge = beyond[0];
        face[1] = face[2];
        face[2] = corner;
        beyond[0] = beyond[2];
        beyond[2] = edge;
        mesh->normal[f] = v3_neg(mesh->normal[f]);
    }
}

/* ------------------------------------------------------------------ all */

static RgStatus repair(Repair *r, RgArena *arena, RgLinkedMesh *out, const char **what)
{
    for (int32_t i = 0; i < r->shape->mesh.nvertices; i++) {
        RgVec3 p = position_of(r->shape, i);
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > RG_SURFACE_LARGEST) {
            *what = "a mesh vertex is too far away";
            return RG_ERR_ARGUMENT;
        }
    }
    if (!join_vertices(r) || !sort_faces(r) || !link_edges(r) || !drop_thin_faces(r, arena, out)) {
        *what = no_memory;
        return RG_ERR_MEMORY;
    }
    if (out->nf == 0) {
        *what = "no triangle of the mesh has an area";
        return RG_ERR_MODEL;
    }
    out->one_sided = r->report->turned_edges == 0 && r->crowded == 0;
    if (r->report->closed && is_inside_out(out)) {
        r->report->inside_out = true;
        turn_over(out);
    }
    return RG_OK;
}

RgStatus rg_surface_repair(RgArena *arena, const RgShape *shape, RgLinkedMesh *out, RgMeshReport *report,
                           const char **what)
{
    *out = (RgLinkedMesh){0};
    if (shape->mesh.nfaces > RG_SURFACE_MAX_TRIANGLES) {
        *what = "the mesh has too many triangles";
        return RG_ERR_UNSUPPORTED;
    }
    Repair r = {.shape = shape, .report = report};
    rg_arena_init(&r.scratch, &arena->allocator);
    RgStatus status = repair(&r, arena, out, what);
    rg_arena_free(&r.scratch);
    return status;
}
