/*
 * surface_heightfield.c - a height field as triangles that are computed on demand.
 *
 * Cell (i, j) between the rows i, i + 1 and the columns j, j + 1 of the grid (grid positions: shape_heightfield.c) has
 * two triangles, counter-clockwise from above, with the indices 2 (i (columns - 1) + j) and one more:
 *
 *   y    d --- c
 *   ^    | 1 / |      0: a b c     edges a-b: cell below; b-c: cell on the right; c-a: triangle 1
 *   |    | / 0 |      1: a c d     edges a-c: triangle 0; c-d: cell above; d-a: cell on the left
 *   +-x  a --- b
 *
 * Normals point up and the solid lies below: one-sided. It extends below the lowest point by the length of the field's
 * longer side, without walls or a bottom that could be touched. Vertices have the indices of their grid points.
 *
 * The minimum and maximum height of every block of 4 x 4 cells, then of 2 x 2 blocks and so on, form a tree of boxes
 * that needs a sixth of the memory of the heights. Nearest and ray traverse it, near boxes first; overlap visits the
 * cells below the box.
 *
 * Fails if a side is 0 (the triangles have no area), or so steep that a normal is inaccurate.
 */
#include "geom/surface_ray.h"

/* Cells per side of the smallest blocks. */
#define BLOCK 4

/* Levels of blocks: halving 2^31 cells per side takes 31. */
#define LEVELS 32

/* Three blocks per level on the stack, and the last four. */
#define BLOCK_STACK (3 * LEVELS + 4)

typedef struct HeightRange {
    double low, high; /* m */
} HeightRange;

typedef struct BlockLevel {
    int32_t rows, columns; /* of blocks */
    int32_t cells;         /* per side of a block */
    HeightRange *ranges;   /* rows * columns */
} BlockLevel;

typedef struct HeightSurface {
    RgSurface base;
    int32_t rows, columns; /* of grid points */
    double width, depth;   /* m: sizes along x and y */
    const double *x, *y;   /* m: position of each column, of each row */
    const double *z;       /* m: rows * columns */
    int nlevels;
    BlockLevel level[LEVELS];
} HeightSurface;

static const HeightSurface *as_heights(const RgSurface *surface)
{
    return (const HeightSurface *)surface;
}

static double grid_z(const HeightSurface *s, int32_t row, int32_t column)
{
    return s->z[(int64_t)row * s->columns + column];
}

/* ------------------------------------------------------------------ triangles */

/* Row and column offsets of the corners of the two triangles of a cell. */
static const int32_t corner_row[2][3] = {{0, 0, 1}, {0, 1, 1}};
static const int32_t corner_column[2][3] = {{0, 1, 1}, {0, 1, 0}};

/* A triangle by its position in the grid. */
typedef struct GridTriangle {
    int32_t row, column, half;
} GridTriangle;

static GridTriangle grid_triangle(const HeightSurface *s, int32_t i)
{
    int32_t cell = i / 2;
    return (GridTriangle){cell / (s->columns - 1), cell % (s->columns - 1), i % 2};
}

static int32_t number_of(const HeightSurface *s, GridTriangle p)
{
    return 2 * (p.row * (s->columns - 1) + p.column) + p.half;
}

static void corners(const HeightSurface *s, GridTriangle p, RgVec3 vertex[3])
{
    for (int k = 0; k < 3; k++) {
        int32_t row = p.row + corner_row[p.half][k], column = p.column + corner_column[p.half][k];
        vertex[k] = v3(s->x[column], s->y[row], grid_z(s, row, column));
    }
}

static RgVec3 normal_at(const HeightSurface *s, GridTriangle p)
{
    RgVec3 vertex[3], normal = {0.0, 0.0, 1.0};
    corners(s, p, vertex);
    rg_surface_normal(vertex, &normal);
    return normal;
}

/* The triangle beyond edge k. Returns false if there is none. */
static bool grid_triangle_beyond(const HeightSurface *s, GridTriangle p, int k, GridTriangle *beyond)
{
    static const int32_t row_step[2][3] = {{-1, 0, 0}, {0, 1, 0}};
    static const int32_t column_step[2][3] = {{0, 1, 0}, {0, 0, -1}};
    *beyond = (GridTriangle){p.row + row_step[p.half][k], p.column + column_step[p.half][k], 1 - p.half};
    return beyond->row >= 0 && beyond->row < s->rows - 1 && beyond->column >= 0 && beyond->column < s->columns - 1;
}

static int32_t height_beyond(const RgSurface *surface, int32_t i, int k)
{
    const HeightSurface *s = as_heights(surface);
    GridTriangle beyond;
    return grid_triangle_beyond(s, grid_triangle(s, i), k, &beyond) ? number_of(s, beyond) : -1;
}

static void height_triangle(const RgSurface *surface, int32_t i, RgTriangle *out)
{
    const HeightSurface *s = as_heights(surface);
    GridTriangle p = grid_triangle(s, i);
    corners(s, p, out->vertex);
    out->normal = normal_at(s, p);
    for (int k = 0; k < 3; k++) {
        int32_t row = p.row + corner_row[p.half][k], column = p.column + corner_column[p.half][k];
        GridTriangle beyond;
        out->number[k] = row * s->columns + column;
        out->open[k] = !grid_triangle_beyond(s, p, k, &beyond);
        out->across[k] = out->open[k] ? out->normal : normal_at(s, beyond);
        RgVec3 edge = v3_sub(out->vertex[(k + 1) % 3], out->vertex[k]);
        out->convex[k] = out->open[k] || rg_surface_edge_convex(out->normal, out->across[k], edge, true);
    }
}

/* ------------------------------------------------------------------ overlap */

/* First and last cell of a side that may overlap low ... high, plus one at each end for round-off. */
static void cell_range(double low, double high, double size, int32_t cells, int32_t *first, int32_t *last)
{
    double a = floor((low / size + 0.5) * cells) - 1.0, b = floor((high / size + 0.5) * cells) + 1.0;
    *first = a > 0.0 ? (a < cells ? (int32_t)a : cells) : 0;
    *last = b < cells - 1.0 ? (b >= 0.0 ? (int32_t)b : -1) : cells - 1;
}

static int32_t height_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity)
{
    const HeightSurface *s = as_heights(surface);
    if (!boxes_overlap(&surface->bounds, box))
        return 0;
    int32_t row, last_row, first_column, last_column, count = 0;
    cell_range(box->low.y, box->high.y, s->depth, s->rows - 1, &row, &last_row);
    cell_range(box->low.x, box->high.x, s->width, s->columns - 1, &first_column, &last_column);
    for (; row <= last_row; row++)
        for (int32_t at = 2 * first_column; at < 2 * (last_column + 1); at++) {
            GridTriangle p = {row, at / 2, at % 2};
            RgVec3 vertex[3];
            corners(s, p, vertex);
            RgBounds own_box = triangle_bounds(vertex);
            if (!boxes_overlap(&own_box, box))
                continue;
            if (count < capacity)
                out[count] = number_of(s, p);
            count++;
        }
    return count;
}

/* ------------------------------------------------------------------ inside */

/* The cell of a side that contains a position, and the fraction within it, 0 ... 1. at: positions of the cells + 1
   lines. */
static int32_t cell_at(const double *at, int32_t cells, double place, double *part)
{
    double guess = (place - at[0]) / (at[cells] - at[0]) * cells;
    int32_t cell = guess > 0.0 ? (guess < cells ? (int32_t)guess : cells - 1) : 0;
    while (cell > 0 && place < at[cell])
        cell--;
    while (cell < cells - 1 && place > at[cell + 1])
        cell++;
    *part = (place - at[cell]) / (at[cell + 1] - at[cell]);
    return cell;
}

/* Returns true if x is below the plane of the triangle over it; x is within the field's sides. */
static bool height_inside(const RgSurface *surface, RgVec3 x)
{
    const HeightSurface *s = as_heights(surface);
    double p, q;
    int32_t j = cell_at(s->x, s->columns - 1, x.x, &p), i = cell_at(s->y, s->rows - 1, x.y, &q);
    double a = grid_z(s, i, j), c = grid_z(s, i + 1, j + 1);
    double side = p >= q ? grid_z(s, i, j + 1) : grid_z(s, i + 1, j);
    double more = p >= q ? p : q, less = p >= q ? q : p;
    return x.z <= a + more * (side - a) + less * (c - side);
}

/* ------------------------------------------------------------------ blocks */

/* A block on the stack, and its distance measure. */
typedef struct Pending {
    int32_t level, row, column;
    double near;
} Pending;

/* Cells of a block: row ... end_row - 1, column ... end_column - 1. */
typedef struct CellRange {
    int32_t row, end_row, column, end_column;
} CellRange;

static CellRange block_cells(const HeightSurface *s, const Pending *block)
{
    int64_t side = s->level[block->level].cells;
    int64_t end_row = side * (block->row + 1), end_column = side * (block->column + 1);
    return (CellRange){(int32_t)(side * block->row), (int32_t)(end_row < s->rows - 1 ? end_row : s->rows - 1),
                       (int32_t)(side * block->column),
                       (int32_t)(end_column < s->columns - 1 ? end_column : s->columns - 1)};
}

static RgBounds block_box(const HeightSurface *s, const Pending *block)
{
    const BlockLevel *level = &s->level[block->level];
    HeightRange z = level->ranges[(int64_t)block->row * level->columns + block->column];
    CellRange c = block_cells(s, block);
    return (RgBounds){{s->x[c.column], s->y[c.row], z.low}, {s->x[c.end_column], s->y[c.end_row], z.high}};
}

/* Measures the distance of a box from the query. Returns false if the box is excluded. */
typedef bool BlockMeasure(const RgBounds *box, const void *query, double *near);

/* Replaces the block at the top of the stack by its children, the nearest on top; returns the new height of the
   stack. */
static int push_children(const HeightSurface *s, Pending *stack, int height, BlockMeasure *measure, const void *query)
{
    const Pending block = stack[height];
    const BlockLevel *level = &s->level[block.level - 1];
    int first = height;
    for (int k = 0; k < 4; k++) {
        Pending child = {block.level - 1, 2 * block.row + k / 2, 2 * block.column + k % 2, 0.0};
        if (child.row >= level->rows || child.column >= level->columns)
            continue;
        RgBounds box = block_box(s, &child);
        if (!measure(&box, query, &child.near))
            continue;
        int at = height++;
        for (; at > first && stack[at - 1].near <= child.near; at--)
            stack[at] = stack[at - 1];
        stack[at] = child;
    }
    return height;
}

/* ------------------------------------------------------------------ nearest */

static bool measure_gap(const RgBounds *box, const void *query, double *near)
{
    *near = boxes_gap2(box, query);
    return true;
}

static void height_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                           double *reach)
{
    const HeightSurface *s = as_heights(surface);
    Pending stack[BLOCK_STACK];
    int height = 1;
    stack[0] = (Pending){s->nlevels - 1, 0, 0, boxes_gap2(&surface->bounds, box)};
    while (height > 0) {
        Pending block = stack[--height];
        if (!gap2_within(block.near, *reach))
            continue;
        if (block.level > 0) {
            height = push_children(s, stack, height, measure_gap, box);
            continue;
        }
        CellRange c = block_cells(s, &block);
        int32_t width = 2 * (c.end_column - c.column), count = width * (c.end_row - c.row);
        for (int32_t i = 0; i < count; i++) {
            GridTriangle p = {c.row + i / width, c.column + i % width / 2, i % 2};
            RgVec3 vertex[3];
            corners(s, p, vertex);
            RgBounds own_box = triangle_bounds(vertex);
            if (gap2_within(boxes_gap2(&own_box, box), *reach))
                visit(number_of(s, p), context, reach);
        }
    }
}

/* ------------------------------------------------------------------ ray */

/* A ray and the first hit so far. */
typedef struct RaySearch {
    RgSurfaceRay ray;
    double depth;
    int32_t triangle; /* -1: none */
} RaySearch;

static bool measure_ray(const RgBounds *box, const void *query, double *near)
{
    const RaySearch *search = query;
    return rg_surface_ray_box(&search->ray, box, search->depth, near);
}

static void ray_cells(const HeightSurface *s, CellRange c, RaySearch *search)
{
    int32_t width = 2 * (c.end_column - c.column), count = width * (c.end_row - c.row);
    for (int32_t i = 0; i < count; i++) {
        GridTriangle p = {c.row + i / width, c.column + i % width / 2, i % 2};
        RgVec3 vertex[3];
        double depth;
        corners(s, p, vertex);
        if (!rg_surface_ray_triangle(&search->ray, vertex, search->depth, &depth))
            continue;
        int32_t number = number_of(s, p);
        if (depth < search->depth || search->triangle < 0 || number < search->triangle) {
            search->depth = depth;
            search->triangle = number;
        }
    }
}

static bool height_ray(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle)
{
    const HeightSurface *s = as_heights(surface);
    RaySearch search = {.triangle = -1};
    if (!rg_surface_ray_init(&search.ray, origin, direction, &surface->bounds) || !(*t >= 0.0))
        return false;
    search.depth = *t * search.ray.scale;
    Pending stack[BLOCK_STACK];
    stack[0] = (Pending){s->nlevels - 1, 0, 0, 0.0};
    int height = measure_ray(&surface->bounds, &search, &stack[0].near);
    while (height > 0) {
        Pending block = stack[--height];
        if (block.near > search.depth)
            continue;
        if (block.level > 0)
            height = push_children(s, stack, height, measure_ray, &search);
        else
            ray_cells(s, block_cells(s, &block), &search);
    }
    if (search.triangle < 0)
        return false;
    *t = fmin(*t, search.depth / search.ray.scale);
    *triangle = search.triangle;
    return true;
}

/* ------------------------------------------------------------------ construction */

static const RgSurfaceKind height_kind = {height_triangle, height_overlap, height_nearest,
                                          height_ray,      height_inside,  height_beyond};

/* Minimum and maximum height over the cells of a block. */
static HeightRange cells_range(const HeightSurface *s, CellRange c)
{
    HeightRange range = {INFINITY, -INFINITY};
    for (int32_t row = c.row; row <= c.end_row; row++)
        for (int32_t column = c.column; column <= c.end_column; column++) {
            double z = grid_z(s, row, column);
            range = (HeightRange){d_min(range.low, z), d_max(range.high, z)};
        }
    return range;
}

/* The range of a block from the four blocks below it. */
static HeightRange children_range(const BlockLevel *below, int32_t row, int32_t column)
{
    HeightRange range = {INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        int32_t i = 2 * row + k / 2, j = 2 * column + k % 2;
        if (i >= below->rows || j >= below->columns)
            continue;
        HeightRange part = below->ranges[(int64_t)i * below->columns + j];
        range = (HeightRange){d_min(range.low, part.low), d_max(range.high, part.high)};
    }
    return range;
}

static bool make_level(HeightSurface *s, RgArena *arena, int32_t cells)
{
    int32_t k = s->nlevels++;
    BlockLevel *level = &s->level[k];
    level->cells = cells;
    level->rows = (s->rows - 2) / cells + 1;
    level->columns = (s->columns - 2) / cells + 1;
    level->ranges = RG_ARENA_ALLOC(arena, HeightRange, (int64_t)level->rows * level->columns);
    if (level->ranges == NULL)
        return false;
    for (int32_t i = 0; i < level->rows; i++)
        for (int32_t j = 0; j < level->columns; j++)
            level->ranges[(int64_t)i * level->columns + j] =
                k == 0 ? cells_range(s, block_cells(s, &(Pending){0, i, j, 0.0}))
                       : children_range(&s->level[k - 1], i, j);
    return true;
}

static bool make_levels(HeightSurface *s, RgArena *arena)
{
    int32_t longer = s->rows > s->columns ? s->rows - 1 : s->columns - 1;
    for (int64_t cells = BLOCK;; cells *= 2) {
        if (!make_level(s, arena, (int32_t)cells))
            return false;
        if (cells >= longer)
            return true;
    }
}

/* Returns true if every triangle has a normal. */
static bool has_normals(const HeightSurface *s)
{
    for (int32_t i = 0; i < s->base.count; i++) {
        RgVec3 vertex[3], normal;
        corners(s, grid_triangle(s, i), vertex);
        if (!rg_surface_normal(vertex, &normal))
            return false;
    }
    return true;
}

/* Computes the positions of the grid points. */
static bool make_grid(HeightSurface *s, RgArena *arena, const RgShape *shape)
{
    int64_t points = (int64_t)shape->rows * shape->columns;
    double *x = RG_ARENA_ALLOC(arena, double, shape->columns), *y = RG_ARENA_ALLOC(arena, double, shape->rows);
    double *z = RG_ARENA_ALLOC(arena, double, points);
    if (x == NULL || y == NULL || z == NULL)
        return false;
    for (int32_t j = 0; j < shape->columns; j++)
        x[j] = shape->size[0] * ((double)j / (shape->columns - 1) - 0.5);
    for (int32_t i = 0; i < shape->rows; i++)
        y[i] = shape->size[1] * ((double)i / (shape->rows - 1) - 0.5);
    for (int64_t i = 0; i < points; i++)
        z[i] = shape->size[2] * shape->heights[i];
    s->rows = shape->rows;
    s->columns = shape->columns;
    s->width = shape->size[0];
    s->depth = shape->size[1];
    s->x = x;
    s->y = y;
    s->z = z;
    return true;
}

RgStatus rg_surface_heightfield_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                                       const char **what)
{
    (void)report;
    if ((int64_t)shape->rows * shape->columns > RG_SURFACE_MAX_TRIANGLES / 2) {
        *what = "the height field has too many points";
        return RG_ERR_UNSUPPORTED;
    }
    HeightSurface *s = RG_ARENA_ALLOC(arena, HeightSurface, 1);
    *what = "out of memory";
    if (s == NULL || !make_grid(s, arena, shape) || !make_levels(s, arena))
        return RG_ERR_MEMORY;
    RgBounds box = block_box(s, &(Pending){s->nlevels - 1, 0, 0, 0.0}), solid = box;
    solid.low.z -= d_max(s->width, s->depth);
    s->base = (RgSurface){&height_kind, 2 * (s->rows - 1) * (s->columns - 1), true, true, box, solid, NULL};
    if (fmax(fmax(s->width, s->depth), fmax(fabs(s->base.bounds.low.z), s->base.bounds.high.z)) > RG_SURFACE_LARGEST) {
        *what = "the height field is too large";
        return RG_ERR_ARGUMENT;
    }
    if (!has_normals(s)) {
        *what = "a triangle of the height field has no area";
        return RG_ERR_MODEL;
    }
    if (!rg_surface_find_regions(arena, &s->base))
        return RG_ERR_MEMORY;
    *out = &s->base;
    *what = NULL;
    return RG_OK;
}
