/* scene_fixture.h - a document read into a builder and finished, with everything the reader said. */
#ifndef TEST_SCENE_FIXTURE_H
#define TEST_SCENE_FIXTURE_H

#include "check_near.h"
#include "model/model_builder.h"

#include <rigor/scene.h>

#include <stdio.h>
#include <string.h>

#define DATA_DIR RIGOR_SOURCE_DIR "/test/data"

typedef struct Doc {
    RgBuilder *builder;
    RgModel *model; /* NULL: error says why */
    RgStatus status;
    RgError error;
    char log[20000]; /* every remark: "line: text\n" */
} Doc;

static inline void doc_remark(const char *file, int line, const char *text, void *context)
{
    (void)file;
    Doc *doc = context;
    size_t used = strlen(doc->log);
    snprintf(doc->log + used, sizeof doc->log - used, "%d: %s\n", line, text);
}

/* text NULL: name is a file on the disk. The doc is static memory: one at a time. */
static inline Doc *doc_read_with(const char *name, const char *text, const RgReadOptions *options)
{
    static Doc doc;
    memset(&doc, 0, sizeof doc);
    RgLog log = {doc_remark, &doc};
    doc.builder = rg_builder_create(NULL, &log);
    cr_assert_not_null(doc.builder);
    doc.status = text != NULL ? rg_read_memory(doc.builder, name, text, strlen(text), options, &doc.error)
                              : rg_read_file(doc.builder, name, options, &doc.error);
    if (doc.status == RG_OK)
        doc.model = rg_builder_finish(doc.builder, &doc.error);
    return &doc;
}

static inline Doc *doc_read(const char *name, const char *text)
{
    return doc_read_with(name, text, NULL);
}

/* The document must have been read well. */
static inline Doc *doc_good(Doc *doc)
{
    cr_assert_not_null(doc->model, "%s:%d: %s", doc->error.file, doc->error.line, doc->error.text);
    return doc;
}

static inline void doc_free(Doc *doc)
{
    rg_model_destroy(doc->model);
    rg_builder_destroy(doc->builder);
}

/* The document must be refused on that line with that word. */
static inline void expect_error(const char *name, const char *text, int line, const char *word)
{
    Doc *doc = doc_read(name, text);
    cr_expect_null(doc->model, "accepted, expected '%s'", word);
    cr_expect_neq((int)doc->error.status, (int)RG_OK);
    cr_expect_not_null(strstr(doc->error.text, word), "'%s' has no '%s'", doc->error.text, word);
    cr_expect_eq(doc->error.line, line, "line %d, expected %d: %s", doc->error.line, line, doc->error.text);
    cr_expect_str_eq(doc->error.file, name);
    doc_free(doc);
}

static inline int count_text(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static inline const RgLinkDef *doc_link(const Doc *doc, const char *name)
{
    for (int i = 0; i < doc->builder->nlinks; i++)
        if (strcmp(doc->builder->links[i].name, name) == 0)
            return &doc->builder->links[i];
    cr_assert(false, "no link %s", name);
    return NULL;
}

static inline const RgJointDef *doc_joint(const Doc *doc, const char *name)
{
    for (int i = 0; i < doc->builder->njoints; i++)
        if (strcmp(doc->builder->joints[i].name, name) == 0)
            return &doc->builder->joints[i];
    cr_assert(false, "no joint %s", name);
    return NULL;
}

static inline void check_vec3(RgVec3 a, double x, double y, double z, const char *unit)
{
    double actual[3] = {a.x, a.y, a.z}, expected[3] = {x, y, z};
    CHECK_NEAR_ALL(actual, expected, 3, 1e-12, unit);
}

/* Position, and where the x and z axes point. */
static inline void check_axes(RgPose X, const double x[3], const double z[3])
{
    double columns[6] = {X.R.m[0][0], X.R.m[1][0], X.R.m[2][0], X.R.m[0][2], X.R.m[1][2], X.R.m[2][2]};
    double expected[6] = {x[0], x[1], x[2], z[0], z[1], z[2]};
    CHECK_NEAR_ALL(columns, expected, 6, 1e-12, "1");
}

#endif
