/*
 * mesh_obj.c - Wavefront OBJ: vertices and faces.
 *
 *   v x y z ...          a vertex; further numbers (a weight, colours) are ignored
 *   f a b c ...          a polygon of at least three corners, cut into a fan (a b c), (a c d), ...
 *   a = i, i/t, i//n, i/t/n     i counts vertices from 1, or from the last one backwards if negative
 *   o name, g name       begins an object; in a file with o lines, g lines are ignored. Consecutive lines with the
 *                        same name (exporters write one after each change of material) make one object
 *
 * Objects with faces are the parts of the mesh. All other lines (normals, textures, materials) are skipped. A backslash
 * at the end of a line joins it with the next. Two passes: count, then fill.
 *
 * Failure: words that are not numbers, vertices that are not finite, corners that name no vertex, a file without faces,
 * sizes above the limits of mesh_file.h.
 */
#include "base/number.h"
#include "base/status.h"
#include "scene/mesh_file.h"

#include <string.h>

/* One pass over the file; arrays are NULL in the counting pass. */
typedef struct ObjPass {
    const RgMeshInput *input;
    RgError *error;
    int line;
    double *vertices;
    int32_t *faces;
    int64_t nvertices, nfaces;
    int64_t nobjects;   /* o and g lines */
    char object_letter; /* letter of the lines that begin an object: 'o' if the file has any, else 'g' */
    RgMeshParts parts;
    RgWord last_object; /* name of the last object */
} ObjPass;

static RgStatus fail_at(const ObjPass *pass, const char *what, RgWord word)
{
    int length = word.length < 40 ? (int)word.length : 40;
    return rg_fail(pass->error, RG_ERR_SYNTAX, pass->input->file, pass->line, "%s, found '%.*s'", what, length,
                   word.start);
}

/* The next word of a line; skips the backslashes at joined line ends. */
static RgWord next_word(const char **at, const char *end)
{
    RgWord word;
    do
        word = rg_word_next(at, end);
    while (word.length == 1 && word.start[0] == '\\');
    return word;
}

static RgStatus read_vertex(ObjPass *pass, const char *at, const char *end)
{
    for (int i = 0; pass->vertices != NULL && i < 3; i++) {
        RgWord word = next_word(&at, end);
        double value;
        if (rg_word_number(word, &value) != RG_NUMBER_OK)
            return fail_at(pass, "a vertex needs three finite numbers", word);
        pass->vertices[3 * pass->nvertices + i] = value;
    }
    pass->nvertices++;
    return RG_OK;
}

/* Index of the vertex that a corner names; -1: there is none. */
static int64_t corner_vertex(const ObjPass *pass, RgWord word)
{
    size_t at = word.length > 0 && word.start[0] == '-' ? 1 : 0;
    bool backwards = at == 1;
    size_t first = at;
    int64_t number = 0;
    for (; at < word.length && word.start[at] >= '0' && word.start[at] <= '9' && number < INT32_MAX; at++)
        number = 10 * number + (word.start[at] - '0');
    if (at == first || (at < word.length && word.start[at] != '/') || number == 0)
        return -1;
    int64_t vertex = backwards ? pass->nvertices - number : number - 1;
    return vertex < pass->nvertices ? vertex : -1;
}

static RgStatus read_face(ObjPass *pass, const char *at, const char *end)
{
    int64_t first = -1, last = -1;
    int corners = 0;
    for (RgWord word = next_word(&at, end); word.length > 0; word = next_word(&at, end), corners++) {
        int64_t vertex = pass->vertices != NULL ? corner_vertex(pass, word) : 0;
        if (vertex < 0)
            return fail_at(pass, "a face corner must name a vertex above it in the file", word);
        if (corners >= 2) {
            if (pass->faces != NULL) {
                int32_t *face = pass->faces + 3 * pass->nfaces;
                face[0] = (int32_t)first;
                face[1] = (int32_t)last;
                face[2] = (int32_t)vertex;
                rg_mesh_parts_enter(&pass->parts, (int32_t)pass->nfaces);
            }
            pass->nfaces++;
        }
        first = corners == 0 ? vertex : first;
        last = vertex;
    }
    if (corners < 3)
        return rg_fail(pass->error, RG_ERR_SYNTAX, pass->input->file, pass->line,
                       "a face needs at least three corners");
    return RG_OK;
}

/* An o or g line; at: the text after the letter. */
static void read_object(ObjPass *pass, char letter, const char *at, const char *end)
{
    if (pass->vertices == NULL) {
        pass->nobjects++;
        pass->object_letter = letter == 'o' ? 'o' : pass->object_letter;
        return;
    }
    if (letter != pass->object_letter)
        return;
    RgWord name = rg_word_next(&at, end);
    const char *last = end;
    while (last > name.start && strchr(" \t\r", last[-1]) != NULL)
        last--;
    name.length = name.length > 0 ? (size_t)(last - name.start) : 0;
    if (name.length != pass->last_object.length || memcmp(name.start, pass->last_object.start, name.length) != 0)
        pass->parts.is_new = true;
    pass->last_object = name;
}

/* End of the line that begins at `at`, including joined lines; *lines: number of lines in it. */
static const char *line_end(const char *at, const char *end, int *lines)
{
    const char *start = at;
    for (*lines = 1; at < end; at++) {
        if (*at != '\n')
            continue;
        const char *before = at > start && at[-1] == '\r' ? at - 1 : at;
        if (before == start || before[-1] != '\\')
            break;
        (*lines)++;
    }
    return at;
}

static RgStatus run_pass(ObjPass *pass)
{
    const char *at = (const char *)pass->input->data, *end = at + pass->input->size;
    RgStatus status = RG_OK;
    pass->line = 1;
    pass->nvertices = pass->nfaces = 0;
    while (at < end && status == RG_OK) {
        int lines;
        const char *stop = line_end(at, end, &lines);
        const char *rest = at;
        RgWord word = rg_word_next(&rest, stop);
        if (word.length == 1 && word.start[0] == 'v')
            status = read_vertex(pass, rest, stop);
        else if (word.length == 1 && word.start[0] == 'f')
            status = read_face(pass, rest, stop);
        else if (word.length == 1 && (word.start[0] == 'o' || word.start[0] == 'g'))
            read_object(pass, word.start[0], rest, stop);
        pass->line += lines;
        at = stop < end ? stop + 1 : end;
    }
    return status;
}

static RgStatus obj_parse(const RgMeshInput *input, RgArena *arena, RgMeshData *mesh, RgError *error)
{
    ObjPass pass = {.input = input, .error = error, .object_letter = 'g', .last_object = {"", 0}};
    RgStatus status = run_pass(&pass);
    if (status != RG_OK)
        return status;
    if (pass.nfaces == 0)
        return rg_fail(error, RG_ERR_SYNTAX, input->file, 0, "an OBJ file without faces");
    if (pass.nvertices > RG_MESH_MAX_VERTICES || pass.nfaces > RG_MESH_MAX_TRIANGLES)
        return rg_fail(error, RG_ERR_UNSUPPORTED, input->file, 0, "a mesh of more than %d vertices or %d triangles",
                       RG_MESH_MAX_VERTICES, RG_MESH_MAX_TRIANGLES);

    /* Allocate what was counted, then fill in a second pass. */
    pass.vertices = RG_ARENA_ALLOC(arena, double, 3 * pass.nvertices + 1);
    pass.faces = RG_ARENA_ALLOC(arena, int32_t, 3 * pass.nfaces);
    int64_t parts = pass.nobjects < pass.nfaces ? pass.nobjects + 1 : pass.nfaces;
    pass.parts.start = RG_ARENA_ALLOC(arena, int32_t, parts + 1);
    if (pass.vertices == NULL || pass.faces == NULL || pass.parts.start == NULL)
        return rg_fail(error, RG_ERR_MEMORY, input->file, 0, "%s", rg_status_text(RG_ERR_MEMORY));
    status = run_pass(&pass);
    *mesh = (RgMeshData){.vertices = pass.vertices,
                         .faces = pass.faces,
                         .nvertices = (int32_t)pass.nvertices,
                         .nfaces = (int32_t)pass.nfaces};
    rg_mesh_parts_finish(&pass.parts, mesh);
    return status;
}

const RgMeshFormat rg_mesh_format_obj = {".obj", obj_parse};
