/*
 * export_json.c - what the rows of an exported recording take from its JSON messages, by jansson.
 *
 * jansson makes a tree of a text, of memory by malloc; its allocation functions belong to the whole program, so the
 * library leaves them alone. Limits on hostile texts: VALUES_MAX values, which are counted before jansson sees the
 * text, and jansson's own 2,048 levels of brackets.
 *
 * Integers are read as doubles: -0 keeps its sign, and no number is too large for an integer.
 */
#include "record/export_json.h"

#include "base/status.h"

#ifdef RIGOR_JSON

#include <jansson.h>
#include <math.h>

/* A link of /rigor/scene has about 60 values. 4 million empty objects, the worst case, take 1 GB. */
#define VALUES_MAX ((size_t)1 << 22)

RgStatus rg_need_jansson(const char *path, RgError *error)
{
    (void)path;
    (void)error;
    return RG_OK;
}

/* An upper bound of the number of values: each but the first follows a bracket or a comma outside strings. */
static size_t count_values(RgSpan text)
{
    size_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = text.data[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else
            values += c == ',' || c == '[' || c == '{';
    }
    return values;
}

/* The tree of a text, to be given back by json_decref; NULL: *status says why. */
static json_t *parse(RgSpan text, RgStatus *status)
{
    json_error_t error;
    *status = RG_ERR_SYNTAX;
    if (text.size > VALUES_MAX && count_values(text) > VALUES_MAX)
        return NULL;
    json_t *tree = json_loadb((const char *)text.data, text.size, JSON_DECODE_INT_AS_REAL, &error);
    if (tree != NULL)
        *status = RG_OK;
    else if (json_error_code(&error) == json_error_out_of_memory)
        *status = RG_ERR_MEMORY;
    return tree;
}

/* The strings of an array; with member, the strings of that member of each of its objects. */
static RgStatus read_names(const json_t *array, const char *member, RgArena *arena, const char *const **out, int *count)
{
    size_t size = json_array_size(array);
    if (!json_is_array(array) || size > VALUES_MAX)
        return RG_ERR_SYNTAX;
    const char **names = RG_ARENA_ALLOC(arena, const char *, size);
    for (size_t i = 0; i < size && names != NULL; i++) {
        const json_t *value = json_array_get(array, i);
        const char *name = json_string_value(member != NULL ? json_object_get(value, member) : value);
        if (name == NULL)
            return RG_ERR_SYNTAX;
        names[i] = rg_arena_strdup(arena, name);
    }
    *out = names;
    *count = (int)size;
    return arena->failed ? RG_ERR_MEMORY : RG_OK;
}

RgStatus rg_read_scene_names(RgSpan scene, RgArena *arena, RgRecordNames *names)
{
    RgStatus status;
    json_t *tree = parse(scene, &status);
    *names = (RgRecordNames){.nq = 0};
    if (status == RG_OK)
        status = read_names(json_object_get(tree, "links"), "name", arena, &names->links, &names->nlinks);
    if (status == RG_OK)
        status = read_names(json_object_get(tree, "q_names"), NULL, arena, &names->q, &names->nq);
    if (status == RG_OK)
        status = read_names(json_object_get(tree, "v_names"), NULL, arena, &names->v, &names->nv);
    json_decref(tree);
    return status;
}

RgStatus rg_read_step_numbers(RgSpan step, double numbers[RG_STEP_NUMBERS])
{
    static const char *const members[RG_STEP_NUMBERS] = {"kinetic", "potential", "contacts", "contact_work",
                                                         "residual"};
    RgStatus status;
    json_t *tree = parse(step, &status);
    for (int i = 0; i < RG_STEP_NUMBERS && status == RG_OK; i++) {
        const json_t *value = json_object_get(tree, members[i]);
        numbers[i] = json_is_null(value) ? (double)NAN : json_number_value(value);
        if (!json_is_null(value) && !json_is_number(value))
            status = RG_ERR_SYNTAX;
    }
    json_decref(tree);
    return status;
}

#else

RgStatus rg_need_jansson(const char *path, RgError *error)
{
    return rg_fail(error, RG_ERR_UNSUPPORTED, path, 0,
                   "this librigor was built without jansson: it does not read the scene of a recording");
}

RgStatus rg_read_scene_names(RgSpan scene, RgArena *arena, RgRecordNames *names)
{
    (void)scene;
    (void)arena;
    *names = (RgRecordNames){.nq = 0};
    return RG_ERR_UNSUPPORTED;
}

RgStatus rg_read_step_numbers(RgSpan step, double numbers[RG_STEP_NUMBERS])
{
    (void)step;
    for (int i = 0; i < RG_STEP_NUMBERS; i++)
        numbers[i] = 0.0;
    return RG_ERR_UNSUPPORTED;
}

#endif
