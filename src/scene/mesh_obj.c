/*
 * mesh_obj.c - Wavefront OBJ: vertices and faces.
 *
 *   v x y z ...          a vertex; what follows (a weight, colours) is not used
 *   f a b c ...          a polygon of at least three corners, cut into a fan (a b c), (a c d), ...
 *   a = i, i/t, i//n, i/t/n     i counts vertices from 1, or from the last one backwards if negative
 *   o name, g name       an object begins; where a file has o, its g are skipped. A name again and again (as
 *                        exporters write it after each change of material) is one object
 *
 * Objects with faces are the parts of the mesh. Every other line (normals, texture, materials) is skipped.
 * A backslash at the end of a line joins it with the next. Two passes: count, then fill. Fails on words
 * that are no numbers, on vertices that are not finite, on corners that name no vertex, on a file without
 * faces, and above the limits of mesh_file.h.
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
    int64_t nobjects; /* lines that begin one */
    char begins;      /* the letter of those lines; 'g' until an o is found */
    RgMeshParts parts;
    RgWord object; /* name of the last one */
} ObjPass;

static RgStatus fail_at(const ObjPass *pass, const char *what, RgWord word)
{
    int length = word.length < 40 ? (int)word.length : 40;
    return rg_fail(pass->error, RG_ERR_SYNTAX, pass->input->file, pass->line, "%s, found '%.*s'", what, length,
                   word.start);
}

/* The next word of a line, over joined line ends. */
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

/* The vertex (from 0) that a corner names; -1 if it names none. */
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

/* o or g with the name behind it. */
static void read_object(ObjPass *pass, char letter, const char *at, const char *end)
{
    if (pass->vertices == NULL) {
        pass->nobjects++;
        pass->begins = letter == 'o' ? 'o' : pass->begins;
        return;
    }
    if (letter != pass->begins)
        return;
    RgWord name = rg_word_next(&at, end);
    const char *last = end;
    while (last > name.start && strchr(" \t\r", last[-1]) != NULL)
        last--;
    name.length = name.length > 0 ? (size_t)(last - name.start) : 0;
    if (name.length != pass->object.length || memcmp(name.start, pass->object.start, name.length) != 0)
        pass->parts.is_new = true;
    pass->object = name;
}

/* End of the line at `at`, past joined ones; *lines counts the line ends passed. */
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
    ObjPass pass = {.input = input, .error = error, .begins = 'g', .object = {"", 0}};
    RgStatus status = run_pass(&pass);
    if (status != RG_OK)
        return status;
    if (pass.nfaces == 0)
        return rg_fail(error, RG_ERR_SYNTAX, input->file, 0, "an OBJ file without faces");
    if (pass.nvertices > RG_MESH_MAX_VERTICES || pass.nfaces > RG_MESH_MAX_TRIANGLES)
        return rg_fail(error, RG_ERR_UNSUPPORTED, input->file, 0, "a mesh of more than %d vertices or %d triangles",
                       RG_MESH_MAX_VERTICES, RG_MESH_MAX_TRIANGLES);

    /* Room for what was counted, then the same pass again. */
    pass.vertices = RG_TAKE(arena, double, 3 * pass.nvertices + 1);
    pass.faces = RG_TAKE(arena, int32_t, 3 * pass.nfaces);
    int64_t parts = pass.nobjects < pass.nfaces ? pass.nobjects + 1 : pass.nfaces;
    pass.parts.start = RG_TAKE(arena, int32_t, parts + 1);
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
