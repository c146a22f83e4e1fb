/*
 * doctor_mesh.c - checks of collision meshes, as the library prepares them for contact.
 *
 * Fixed meshes collide by their triangles: bodies pass through holes, and a surface with inconsistent orientation is
 * treated as a thin shell. Both are warnings; so are dropped triangles and inside-out meshes. Moving meshes are
 * replaced by the convex hull of each part (unless the file says otherwise): the same findings are then only notes. A
 * mesh that cannot be prepared, such as a hull without volume, is an error.
 *
 * A hull fills the concavities of its mesh. Its excess is the ratio of the volumes, that of the hull summed over the
 * parts; only closed meshes have a volume.
 */
#include "model/doctor.h"

#include <math.h>

/* Volume of the hull over that of the mesh; larger ratios are reported. */
#define HULL_EXCESS 1.25

/* A mesh under examination. */
typedef struct MeshCase {
    RgDiagnosis *diagnosis;
    RgShapeDef def;
    bool moves;
    RgFinding finding; /* subject and place */
} MeshCase;

static void add(MeshCase *mesh, bool is_note, const char *text)
{
    RgFinding finding = mesh->finding;
    finding.is_note = is_note;
    rg_diagnosis_add(mesh->diagnosis, finding, "%s", text);
}

/* The library's report on the shape with that use of its mesh; false: refused, error is filled. */
static bool prepare(const MeshCase *mesh, RgMeshUse use, RgGeometryInfo *info, RgError *error)
{
    RgShapeDef def = mesh->def;
    RgGeometry *geometry = NULL;
    def.mesh_use = use;
    if (rg_geometry_create(&def, NULL, &geometry, error) != RG_OK)
        return false;
    *info = rg_geometry_info(geometry);
    rg_geometry_destroy(geometry);
    return true;
}

/* ------------------------------------------------------------------ the surface */

static void check_surface(MeshCase *mesh, bool is_note)
{
    RgPool *pool = &mesh->diagnosis->plan->pool;
    RgGeometryInfo info;
    RgError error;
    if (!prepare(mesh, RG_MESH_SURFACE, &info, &error))
        return;
    const RgMeshReport *report = &info.mesh;
    if (report->open_edges > 0)
        add(mesh, is_note,
            rg_pool_print(pool, "mesh is open: %d edges do not lie between two triangles", report->open_edges));
    if (report->turned_edges > 0)
        add(mesh, is_note,
            rg_pool_print(pool,
                          "mesh has no outside: at %d edges the two triangles do not agree on it; it counts as "
                          "a thin shell",
                          report->turned_edges));
    if (report->inside_out)
        add(mesh, is_note, "mesh is inside-out: its faces are turned over");
    if (report->dropped_faces > 0)
        add(mesh, is_note,
            rg_pool_print(pool, "%d triangles without area or named twice are left out", report->dropped_faces));
    if (report->merged_vertices > 0)
        add(mesh, true,
            rg_pool_print(pool, "%d vertices at the place of another are joined to it", report->merged_vertices));
}

/* ------------------------------------------------------------------ the hull */

/* Volume of a shape: its mass at density 1; NaN if it is not closed. */
static double volume_of(const RgShapeDef *def)
{
    RgInertia inertia;
    return rg_shape_inertia(def, 1.0, &inertia) == RG_OK ? inertia.mass : (double)NAN;
}

/* Volume of the hull of the vertices of some faces. */
static double hull_volume(MeshCase *mesh, int32_t first_face, int32_t end_face)
{
    RgMeshData from = mesh->def.mesh;
    double *vertices =
        rg_pool_take(&mesh->diagnosis->plan->pool, 9 * (size_t)(end_face - first_face), sizeof *vertices);
    int32_t count = 0;
    for (int64_t i = 3 * (int64_t)first_face; i < 3 * (int64_t)end_face; i++, count++)
        for (int k = 0; k < 3; k++)
            vertices[3 * (int64_t)count + k] = from.vertices[3 * (int64_t)from.faces[i] + k];
    RgShapeDef def = mesh->def;
    def.type = RG_SHAPE_polytope;
    def.mesh = (RgMeshData){.vertices = vertices, .nvertices = count};
    return volume_of(&def);
}

static void check_hull(MeshCase *mesh, RgMeshUse use)
{
    RgMeshData data = mesh->def.mesh;
    double hull = 0.0, solid = volume_of(&mesh->def);
    bool parted = use == RG_MESH_PARTS && data.part_start;
    for (int32_t i = 0; i < (parted ? data.nparts : 1); i++)
        hull +=
            parted ? hull_volume(mesh, data.part_start[i], data.part_start[i + 1]) : hull_volume(mesh, 0, data.nfaces);
    if (!(hull > HULL_EXCESS * solid))
        return;
    mesh->finding.value = hull / solid;
    add(mesh, true,
        rg_pool_print(&mesh->diagnosis->plan->pool,
                      "the convex hull%s for the mesh: volume %.3g times that of the mesh",
                      parted ? "s of its parts stand" : " stands", hull / solid));
    mesh->finding.value = NAN;
}

/* ------------------------------------------------------------------ all */

static void check_mesh(RgDiagnosis *diagnosis, const RgShapeInfo *shape)
{
    const RgModel *model = diagnosis->model;
    const char *link = shape->link.i ? rg_plan_link_name(diagnosis->plan, model, shape->link) : "world";
    MeshCase mesh = {.diagnosis = diagnosis,
                     .def = rg_shape_def_default(),
                     .moves = shape->link.i && rg_model_link(model, shape->link).body >= 0,
                     .finding = {.check = "mesh", .line = shape->line, .value = NAN}};
    mesh.finding.subject =
        shape->name && shape->name[0] ? rg_pool_print(&diagnosis->plan->pool, "%s: %s", link, shape->name) : link;
    mesh.def.type = RG_SHAPE_mesh;
    mesh.def.mesh = shape->mesh;
    for (int k = 0; k < 3; k++)
        mesh.def.size[k] = shape->size[k];

    RgMeshUse use = shape->mesh_use;
    if (use == RG_MESH_AUTO)
        use = mesh.moves ? RG_MESH_PARTS : RG_MESH_SURFACE;
    RgGeometryInfo info;
    RgError error;
    if (!prepare(&mesh, use, &info, &error)) {
        mesh.finding.is_error = true;
        add(&mesh, false, error.text);
        return;
    }
    check_surface(&mesh, use != RG_MESH_SURFACE);
    if (use != RG_MESH_SURFACE && mesh.moves)
        check_hull(&mesh, use);
}

void rg_doctor_meshes(RgDiagnosis *diagnosis)
{
    int32_t shapes = rg_model_info(diagnosis->model).shapes;
    for (int32_t i = 1; i <= shapes; i++) {
        RgShapeInfo shape = rg_model_shape(diagnosis->model, (RgShapeId){i});
        if (shape.type == RG_SHAPE_mesh && !shape.is_visual && shape.mesh.nvertices > 0)
            check_mesh(diagnosis, &shape);
    }
}
