/*
 * sdf_include.c - opens the model that an <include> names.
 *
 * The uri is a model file or a folder. In a folder model.config names the model file (the one with the newest SDF
 * version); without model.config it is model.sdf. A missing file, and one without a model (a light, an actor), are
 * skipped with a remark: worlds often include a sun and a ground plane that are not installed. A malformed file is an
 * error.
 */
#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "scene/sdf.h"
#include "scene/uri.h"

#include <string.h>

/* The tree of an XML file, in the reader's arena. Each file is parsed once. NULL: the error is set. */
static const RgXml *parse_file(RgSdf *sdf, const char *path)
{
    RgReader *reader = sdf->reader;
    int known = rg_name_map_find(&sdf->documents, path);
    if (known >= 0)
        return sdf->roots[known];
    const RgAllocator *allocator = &reader->arena.allocator;
    size_t size = 0;
    unsigned char *bytes = rg_file_read(allocator, path, RG_XML_MAX_BYTES, &size, &reader->error);
    if (bytes == NULL)
        return NULL;
    const RgXml *root = rg_xml_parse(&reader->arena, path, bytes, size, &reader->error);
    rg_free(allocator, bytes);
    if (root == NULL)
        return NULL;
    int place = sdf->documents.count;
    if (place < RG_SDF_MAX_DOCUMENTS) {
        sdf->roots[place] = root;
        if (!rg_name_map_set(&sdf->documents, &reader->arena, path, place))
            rg_reader_fail_memory(reader);
    }
    return root;
}

/* The model file in a folder; NULL if there is none. */
static const char *find_model_file(RgSdf *sdf, const char *folder)
{
    RgReader *reader = sdf->reader;
    const char *config = rg_reader_format(reader, "%s/model.config", folder);
    if (config == NULL || rg_path_kind(config) != RG_PATH_FILE)
        return rg_reader_ok(reader) ? rg_reader_format(reader, "%s/model.sdf", folder) : NULL;
    const RgXml *root = parse_file(sdf, config);
    const RgXml *best = NULL;
    int newest = -2; /* below the -1 of an entry without a version */
    for (const RgXml *entry = rg_xml_child(root, "sdf"); entry != NULL; entry = rg_xml_next_same(entry)) {
        const char *text = rg_xml_attribute(entry, "version");
        int version = rg_sdf_version_parse(text != NULL ? text : "");
        if (version > newest) {
            newest = version;
            best = entry;
        }
    }
    if (!rg_reader_ok(reader))
        return NULL;
    return rg_reader_format(reader, "%s/%s", folder, best != NULL ? best->text : "model.sdf");
}

const RgXml *rg_sdf_include_open(RgSdf *sdf, const RgXml *include, int *version)
{
    RgReader *reader = sdf->reader;
    const RgXml *uri = rg_xml_child(include, "uri");
    if (uri == NULL || uri->text[0] == '\0') {
        rg_reader_fail(reader, RG_ERR_SYNTAX, include, "<include> needs <uri>");
        return NULL;
    }
    if (++sdf->includes > RG_SDF_MAX_INCLUDES) {
        rg_reader_fail(reader, RG_ERR_SYNTAX, include, "more than %d includes (does a file include itself?)",
                       RG_SDF_MAX_INCLUDES);
        return NULL;
    }

    /* Find the file. */
    const char *path = rg_uri_find(reader, include->file, uri->text);
    if (path != NULL && rg_path_kind(path) == RG_PATH_FOLDER)
        path = find_model_file(sdf, path);
    if (!rg_reader_ok(reader))
        return NULL;
    if (path == NULL || rg_path_kind(path) != RG_PATH_FILE) {
        rg_reader_warn(reader, include, "include '%s' is not found: skipped", uri->text);
        return NULL;
    }

    /* Find the model in it. */
    const RgXml *root = parse_file(sdf, path);
    if (root == NULL)
        return NULL;
    if (strcmp(root->name, "sdf") != 0) {
        rg_reader_fail(reader, RG_ERR_UNSUPPORTED, root, "expected <sdf> in an included file, found <%s>", root->name);
        return NULL;
    }
    *version = rg_sdf_version(reader, root);
    const RgXml *model = rg_xml_child(root, "model");
    if (model == NULL)
        rg_reader_warn(reader, include, "include '%s' holds no model: skipped", uri->text);
    else if (rg_xml_next_same(model) != NULL)
        rg_reader_warn(reader, include, "include '%s' holds several models: the first is taken", uri->text);
    return model;
}
