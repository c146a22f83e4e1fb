/*
 * uri.c - from the names that robot files give to places on the disk.
 *
 *   package://name/rest, model://name/rest   FOLDER/name/rest, or FOLDER/rest if FOLDER is called name
 *   file:///absolute, /absolute              as it stands
 *   file://rest, rest                        FOLDER/rest
 *
 * FOLDER is in turn the folder of the file that gives the name, each folder of the search option, and each
 * parent of the file's folder, the nearest first. The first that exists is taken. Other schemes (http:// and
 * the like) are never found.
 */
#include "scene/uri.h"

#include "base/file_bytes.h"

#include <stdio.h>
#include <string.h>

/* What to look for in each folder. */
typedef struct Wanted {
    const char *name; /* package or model, not terminated; NULL for plain paths */
    int name_length;
    const char *rest; /* without a slash in front */
} Wanted;

/* Does the path exist? Then a copy of it. */
static const char *take_if_there(RgReader *reader, const char *path)
{
    if (rg_path_kind(path) == RG_PATH_NONE)
        return NULL;
    const char *copy = rg_arena_strdup(&reader->arena, path);
    if (copy == NULL)
        rg_reader_fail_memory(reader);
    return copy;
}

static bool is_called(const char *folder, const Wanted *wanted)
{
    const char *slash = strrchr(folder, '/');
    const char *base = slash != NULL ? slash + 1 : folder;
    return strlen(base) == (size_t)wanted->name_length && memcmp(base, wanted->name, (size_t)wanted->name_length) == 0;
}

static const char *look_in(RgReader *reader, const char *folder, const Wanted *wanted)
{
    char path[RG_PATH_ROOM];
    int length;
    if (wanted->name == NULL) {
        length = snprintf(path, sizeof path, "%s/%s", folder, wanted->rest);
        return length < (int)sizeof path ? take_if_there(reader, path) : NULL;
    }
    length = snprintf(path, sizeof path, "%s/%.*s/%s", folder, wanted->name_length, wanted->name, wanted->rest);
    const char *found = length < (int)sizeof path ? take_if_there(reader, path) : NULL;
    if (found != NULL || !is_called(folder, wanted))
        return found;
    length = snprintf(path, sizeof path, "%s/%s", folder, wanted->rest);
    return length < (int)sizeof path ? take_if_there(reader, path) : NULL;
}

/* The folder of the file, the search folders, then the parents of the file's folder up to the root. */
static const char *look_everywhere(RgReader *reader, const char *from, const Wanted *wanted)
{
    char folder[RG_PATH_ROOM];
    rg_path_folder(from, folder, sizeof folder);
    const char *found = look_in(reader, folder, wanted);
    for (int i = 0; i < reader->options->nsearch && found == NULL; i++)
        found = look_in(reader, reader->options->search[i], wanted);
    for (char *slash = strrchr(folder, '/'); slash != NULL && found == NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        found = look_in(reader, folder, wanted);
    }
    return found;
}

/* The text behind a prefix, or NULL. */
static const char *behind(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

const char *rg_uri_find(RgReader *reader, const char *from, const char *uri)
{
    const char *named = behind(uri, "package://");
    if (named == NULL)
        named = behind(uri, "model://");
    if (named != NULL) {
        const char *slash = strchr(named, '/');
        Wanted wanted = {named, (int)(slash != NULL ? (size_t)(slash - named) : strlen(named)),
                         slash != NULL ? slash + 1 : ""};
        return wanted.name_length > 0 ? look_everywhere(reader, from, &wanted) : NULL;
    }
    const char *plain = behind(uri, "file://");
    if (plain == NULL)
        plain = uri;
    if (plain[0] == '\0' || (plain == uri && strstr(uri, "://") != NULL))
        return NULL;
    if (plain[0] == '/')
        return take_if_there(reader, plain);
    Wanted wanted = {NULL, 0, plain};
    return look_everywhere(reader, from, &wanted);
}
