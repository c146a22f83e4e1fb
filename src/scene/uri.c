/*
 * uri.c - finds the files that robot files name.
 *
 *   package://name/rest, model://name/rest   FOLDER/name/rest, or FOLDER/rest if FOLDER is called name
 *   file:///absolute, /absolute              the absolute path
 *   file://rest, rest                        FOLDER/rest
 *
 * FOLDER is in turn the folder of the file that gives the name, each folder of the search option, and each parent of
 * the file's folder, the nearest first. The first path that exists is the result. Other schemes, such as http://, are
 * never found.
 */
#include "scene/uri.h"

#include "base/file_bytes.h"

#include <stdio.h>
#include <string.h>

/* The path to look for in each folder. */
typedef struct UriTarget {
    const char *name; /* package or model, name_length characters; NULL for plain paths */
    int name_length;
    const char *rest; /* without a slash in front */
} UriTarget;

/* A copy of the path in the arena if it exists, else NULL. */
static const char *copy_if_exists(RgReader *reader, const char *path)
{
    if (rg_path_kind(path) == RG_PATH_NONE)
        return NULL;
    const char *copy = rg_arena_strdup(&reader->arena, path);
    if (copy == NULL)
        rg_reader_fail_memory(reader);
    return copy;
}

static bool is_called(const char *folder, const UriTarget *target)
{
    const char *slash = strrchr(folder, '/');
    const char *base = slash != NULL ? slash + 1 : folder;
    return strlen(base) == (size_t)target->name_length && memcmp(base, target->name, (size_t)target->name_length) == 0;
}

static const char *find_in_folder(RgReader *reader, const char *folder, const UriTarget *target)
{
    char path[RG_PATH_ROOM];
    int length;
    if (target->name == NULL) {
        length = snprintf(path, sizeof path, "%s/%s", folder, target->rest);
        return length < (int)sizeof path ? copy_if_exists(reader, path) : NULL;
    }
    length = snprintf(path, sizeof path, "%s/%.*s/%s", folder, target->name_length, target->name, target->rest);
    const char *found = length < (int)sizeof path ? copy_if_exists(reader, path) : NULL;
    if (found != NULL || !is_called(folder, target))
        return found;
    length = snprintf(path, sizeof path, "%s/%s", folder, target->rest);
    return length < (int)sizeof path ? copy_if_exists(reader, path) : NULL;
}

/* Searches the folder of the file, the search folders, then the parents of the file's folder up to the root. */
static const char *find_in_all_folders(RgReader *reader, const char *from, const UriTarget *target)
{
    char folder[RG_PATH_ROOM];
    rg_path_folder(from, folder, sizeof folder);
    const char *found = find_in_folder(reader, folder, target);
    for (int i = 0; i < reader->options->nsearch && found == NULL; i++)
        found = find_in_folder(reader, reader->options->search[i], target);
    for (char *slash = strrchr(folder, '/'); slash != NULL && found == NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        found = find_in_folder(reader, folder, target);
    }
    return found;
}

/* The rest of a text after a prefix; NULL: it does not begin with it. */
static const char *after_prefix(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

const char *rg_uri_find(RgReader *reader, const char *from, const char *uri)
{
    const char *named = after_prefix(uri, "package://");
    if (named == NULL)
        named = after_prefix(uri, "model://");
    if (named != NULL) {
        const char *slash = strchr(named, '/');
        UriTarget target = {named, (int)(slash != NULL ? (size_t)(slash - named) : strlen(named)),
                            slash != NULL ? slash + 1 : ""};
        return target.name_length > 0 ? find_in_all_folders(reader, from, &target) : NULL;
    }
    const char *plain = after_prefix(uri, "file://");
    if (plain == NULL)
        plain = uri;
    if (plain[0] == '\0' || (plain == uri && strstr(uri, "://") != NULL))
        return NULL;
    if (plain[0] == '/')
        return copy_if_exists(reader, plain);
    UriTarget target = {NULL, 0, plain};
    return find_in_all_folders(reader, from, &target);
}
