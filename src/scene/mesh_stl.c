/*
 * mesh_stl.c - STL, text and binary. Corners with exactly the same coordinates become one vertex.
 *
 * Binary: 80 bytes, a count n (32 bits), then n records of 50 bytes: normal, three corners (floats), two bytes; all
 * little-endian. Many binary files also start with "solid", so a file of exactly 84 + 50 n bytes is binary. Other files
 * that start with "solid" are text. All other files are binary: cut short (an error), or with bytes after the last
 * record (ignored).
 *
 * Text: solid NAME / facet normal ... / outer loop / vertex x y z (three times) / endloop / endfacet / endsolid.
 * Several solids are the parts of the mesh. Normals are ignored: corners are counter-clockwise from outside.
 *
 * Failure: corners that are not finite, loops without exactly three corners, files that end early or have no triangle,
 * sizes above the limits of mesh_file.h. Triangles with two equal corners are dropped.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/status.h"
#include "scene/mesh_file.h"

#include <math.h>
#include <string.h>

#define STL_HEAD 84   /* bytes before the records of a binary file: text, count */
#define STL_RECORD 50 /* bytes of a triangle in a binary file */

/* A mesh under construction. The hash table finds a vertex by its coordinates. */
typedef struct StlBuild {
    const RgMeshInput *input;
    RgError *error;
    double *vertices;
    int32_t *faces;
    int32_t nvertices, nfaces;
    RgMeshParts parts;
    int32_t *table; /* index of a vertex + 1; 0: empty slot */
    uint64_t mask;  /* slots - 1; slots is a power of two */
} StlBuild;

static bool init_build(StlBuild *build, RgArena *arena, int64_t triangles, int64_t solids)
{
    uint64_t slots = 64;
    while (slots < 6 * (uint64_t)triangles)
        slots *= 2;
    build->mask = slots - 1;
    build->vertices = RG_ARENA_ALLOC(arena, double, 9 * triangles);
    build->faces = RG_ARENA_ALLOC(arena, int32_t, 3 * triangles);
    int64_t parts = solids < triangles ? solids + 1 : triangles;
    build->parts.start = RG_ARENA_ALLOC(arena, int32_t, parts + 1);
    build->table = rg_alloc(&arena->allocator, slots, sizeof *build->table);
    return build->vertices != NULL && build->faces != NULL && build->parts.start != NULL && build->table != NULL;
}

/* Index of the vertex at p, which is added if there is none. */
static int32_t vertex_at(StlBuild *build, const double p[3])
{
    double key[3] = {p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}; /* -0 becomes 0 */
    uint64_t at = rg_hash(RG_HASH_START, key, sizeof key) & build->mask;
    for (; build->table[at] != 0; at = (at + 1) & build->mask) {
        int32_t vertex = build->table[at] - 1;
        if (memcmp(build->vertices + 3 * (size_t)vertex, key, sizeof key) == 0)
            return vertex;
    }
    memcpy(build->vertices + 3 * (size_t)build->nvertices, key, sizeof key);
    build->table[at] = ++build->nvertices;
    return build->nvertices - 1;
}

static void add_triangle(StlBuild *build, const double corners[9])
{
    int32_t a = vertex_at(build, corners), b = vertex_at(build, corners + 3), c = vertex_at(build, corners + 6);
    if (a == b || b == c || c == a)
        return;
    rg_mesh_parts_enter(&build->parts, build->nfaces);
    int32_t *face = build->faces + 3 * (size_t)build->nfaces;
    face[0] = a;
    face[1] = b;
    face[2] = c;
    build->nfaces++;
}

/* ---------------------------------------------------------------- binary */

static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double read_f32(const unsigned char *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static RgStatus read_binary(StlBuild *build, int64_t triangles)
{
    for (int64_t i = 0; i < triangles; i++) {
        const unsigned char *corner = build->input->data + STL_HEAD + i * STL_RECORD + 12;
        double p[9];
        for (int k = 0; k < 9; k++) {
            p[k] = read_f32(corner + 4 * k);
            if (!isfinite(p[k]))
                return rg_fail(build->error, RG_ERR_NOT_FINITE, build->input->file, 0,
                               "triangle %lld has a corner that is not finite", (long long)i + 1);
        }
        add_triangle(build, p);
    }
    return RG_OK;
}

/* ---------------------------------------------------------------- text */

/* Words of a text, and their lines. */
typedef struct StlText {
    const char *at, *end;
    const char *counted; /* line: counted up to here */
    int line;
} StlText;

static RgWord text_word(StlText *text)
{
    RgWord word = rg_word_next(&text->at, text->end);
    for (; text->counted < word.start; text->counted++)
        text->line += *text->counted == '\n';
    return word;
}

static bool is_word(RgWord word, const char *name)
{
    return word.length == strlen(name) && memcmp(word.start, name, word.length) == 0;
}

static void skip_line(StlText *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
}

static StlText init_text(const RgMeshInput *input)
{
    const char *start = (const char *)input->data;
    return (StlText){start, start + input->size, start, 1};
}

static int64_t count_text_triangles(const RgMeshInput *input, int64_t *solids)
{
    StlText text = init_text(input);
    int64_t loops = 0;
    for (RgWord word = text_word(&text); word.length > 0; word = text_word(&text)) {
        loops += is_word(word, "endloop");
        *solids += is_word(word, "solid");
        if (is_word(word, "solid") || is_word(word, "endsolid"))
            skip_line(&text);
    }
    return loops;
}

/* The three numbers after the word vertex. */
static RgStatus read_corner(StlBuild *build, StlText *text, double p[3])
{
    for (int k = 0; k < 3; k++)
        if (rg_word_number(text_word(text), &p[k]) != RG_NUMBER_OK)
            return rg_fail(build->error, RG_ERR_SYNTAX, build->input->file, text->line,
                           "a vertex needs three finite numbers");
    return RG_OK;
}

static RgStatus read_text(StlBuild *build)
{
    const char *file = build->input->file;
    StlText text = init_text(build->input);
    double p[9];
    int corners = 0;
    bool open = false;
    for (RgWord word = text_word(&text); word.length > 0; word = text_word(&text)) {
        if (is_word(word, "solid") || is_word(word, "endsolid")) {
            open = is_word(word, "solid");
            build->parts.is_new |= open;
            skip_line(&text);
        } else if (is_word(word, "vertex")) {
            if (++corners > 3)
                return rg_fail(build->error, RG_ERR_SYNTAX, file, text.line, "a loop has more than three corners");
            if (read_corner(build, &text, p + 3 * (corners - 1)) != RG_OK)
                return RG_ERR_SYNTAX;
        } else if (is_word(word, "endloop")) {
            if (corners != 3)
                return rg_fail(build->error, RG_ERR_SYNTAX, file, text.line, "a loop has %d corners instead of three",
                               corners);
            add_triangle(build, p);
            corners = 0;
        }
    }
    if (open || corners != 0)
        return rg_fail(build->error, RG_ERR_SYNTAX, file, text.line, "the file ends early: no endsolid");
    return RG_OK;
}

/* ---------------------------------------------------------------- both */

static RgStatus stl_parse(const RgMeshInput *input, RgArena *arena, RgMeshData *mesh, RgError *error)
{
    /* Binary or text, and an upper bound of the number of triangles. */
    bool starts_solid = input->size >= 5 && memcmp(input->data, "solid", 5) == 0;
    bool has_head = input->size >= STL_HEAD;
    int64_t announced = has_head ? (int64_t)read_u32(input->data + 80) : 0;
    int64_t present = has_head ? (int64_t)((input->size - STL_HEAD) / STL_RECORD) : 0;
    bool is_exact_size = has_head && input->size == STL_HEAD + STL_RECORD * (uint64_t)announced;
    bool is_text = starts_solid && !is_exact_size;
    if (!is_text && (!has_head || announced > present))
        return rg_fail(error, RG_ERR_SYNTAX, input->file, 0,
                       "a binary STL file that ends early: %lld triangles promised, %lld there", (long long)announced,
                       (long long)present);
    int64_t solids = 0;
    int64_t triangles = is_text ? count_text_triangles(input, &solids) : announced;
    if (triangles > RG_MESH_MAX_TRIANGLES)
        return rg_fail(error, RG_ERR_UNSUPPORTED, input->file, 0, "a mesh of more than %d triangles",
                       RG_MESH_MAX_TRIANGLES);

    /* Fill, and free the hash table. */
    StlBuild build = {.input = input, .error = error};
    RgStatus status;
    if (!init_build(&build, arena, triangles, solids))
        status = rg_fail(error, RG_ERR_MEMORY, input->file, 0, "%s", rg_status_text(RG_ERR_MEMORY));
    else
        status = is_text ? read_text(&build) : read_binary(&build, triangles);
    rg_free(&arena->allocator, build.table);
    if (status == RG_OK && build.nfaces == 0)
        status = rg_fail(error, RG_ERR_SYNTAX, input->file, 0, "an STL file without triangles");
    *mesh = (RgMeshData){
        .vertices = build.vertices, .faces = build.faces, .nvertices = build.nvertices, .nfaces = build.nfaces};
    rg_mesh_parts_finish(&build.parts, mesh);
    return status;
}

const RgMeshFormat rg_mesh_format_stl = {".stl", stl_parse};
