/*
 * test_yaml_edit.c - values set in run files by path: what a reader finds there afterwards, and what is refused; paths
 * read step by step.
 */
#include "check_near.h"
#include "io/key_path.h"
#include "io/yaml_edit.h"

#include <stdio.h>
#include <string.h>

static const char text[] = "solver: pgs\n"
                           "sleeping: true\n"
                           "gravity: [0, 0, -9.81]\n"
                           "models:\n"
                           "  - {file: a.sdf, name: arm, pose: [1, 2, 3]}\n"
                           "  - {file: b.sdf}\n"
                           "state: {joints: {elbow: 0.5}}\n"
                           "stepper: {name: rk4, step: 1e-3}\n";

/* The value at a path of plain steps, as text. */
static const char *get(RgYaml *yaml, const char *path)
{
    int id = 1;
    RgPathStep s = rg_path_step(path, true);
    for (; s.kind != RG_PATH_END; s = rg_path_step(s.rest, false)) {
        yaml_node_t *node = yaml_document_get_node(&yaml->document, id);
        id = 0;
        if (node->type == YAML_SEQUENCE_NODE &&
            s.index < node->data.sequence.items.top - node->data.sequence.items.start)
            id = node->data.sequence.items.start[s.index];
        for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
             node->type == YAML_MAPPING_NODE && p < node->data.mapping.pairs.top; p++)
            if (strcmp((char *)yaml_document_get_node(&yaml->document, p->key)->data.scalar.value, s.name) == 0)
                id = p->value;
        if (id == 0)
            return "(nothing)";
    }
    yaml_node_t *node = yaml_document_get_node(&yaml->document, id);
    return node->type == YAML_SCALAR_NODE ? (char *)node->data.scalar.value : "(more)";
}

static RgYaml opened(RgError *error)
{
    RgYaml yaml;
    cr_assert(rg_yaml_open(&yaml, "run.yaml", text, sizeof text - 1, error));
    return yaml;
}

static bool set(RgYaml *yaml, const char *path, const char *value)
{
    return rg_yaml_set(yaml, path, &(RgYamlValue){.text = value});
}

Test(yaml_edit, sets_what_is_there_and_makes_what_is_not)
{
    RgError error;
    RgYaml y = opened(&error);
    static const char *const cases[][3] = {
        {"gravity[2]", "-1.62", "gravity[2]"},
        {"models.arm.pose[0]", "7", "models[0].pose[0]"},
        {"models[1].name", "b", "models[1].name"},
        {"state.joints.elbow", "1", "state.joints.elbow"},
        {"state.joints.\"a.b\"", "2", "state.joints.\"a.b\""},
        {"state.rates.elbow", "3", "state.rates.elbow"},
        {"duration", "4", "duration"},
        {"stepper.step", "5", "stepper.step"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert(set(&y, cases[i][0], cases[i][1]), "%s: %s", cases[i][0], error.text);
        cr_assert_str_eq(get(&y, cases[i][2]), cases[i][1]);
    }
    cr_assert_str_eq(get(&y, "gravity[0]"), "0");
    cr_assert_str_eq(get(&y, "models[0].file"), "a.sdf");
    rg_yaml_close(&y);
}

/* `solver: pgs` is {name: pgs}, both ways. */
Test(yaml_edit, words_are_names)
{
    RgError error;
    RgYaml y = opened(&error);
    cr_assert(set(&y, "solver.iterations", "20"));
    cr_assert_str_eq(get(&y, "solver.name"), "pgs");
    cr_assert_str_eq(get(&y, "solver.iterations"), "20");
    cr_assert(set(&y, "stepper", "euler"));
    cr_assert_str_eq(get(&y, "stepper.name"), "euler");
    cr_assert_str_eq(get(&y, "stepper.step"), "1e-3");
    cr_assert(set(&y, "sleeping.time", "2"));
    cr_assert_str_eq(get(&y, "sleeping.name"), "(nothing)");
    rg_yaml_close(&y);
}

Test(yaml_edit, all_of_a_list_or_mapping)
{
    RgError error;
    RgYaml y = opened(&error);
    cr_assert(set(&y, "models.*.base", "fixed"));
    cr_assert_str_eq(get(&y, "models[0].base"), "fixed");
    cr_assert_str_eq(get(&y, "models[1].base"), "fixed");
    cr_assert(set(&y, "parameters.links.arm.mass", "1"));
    cr_assert(set(&y, "parameters.links.*.mass", "2"));
    cr_assert_str_eq(get(&y, "parameters.links.\"*\".mass"), "2", "the run file's own word for all");
    cr_assert_str_eq(get(&y, "parameters.links.arm.mass"), "1");
    rg_yaml_close(&y);
}

Test(yaml_edit, numbers_are_added_and_multiplied)
{
    RgError error;
    RgYaml y = opened(&error);
    cr_assert(rg_yaml_set(&y, "gravity[2]", &(RgYamlValue){.text = "0.5", .how = RG_YAML_MULTIPLIES}));
    cr_assert_eq(strtod(get(&y, "gravity[2]"), NULL), -9.81 * 0.5);
    cr_assert(rg_yaml_set(&y, "gravity[2]", &(RgYamlValue){.text = "1", .how = RG_YAML_ADDS}));
    cr_assert_eq(strtod(get(&y, "gravity[2]"), NULL), -9.81 * 0.5 + 1.0);
    cr_assert_not(rg_yaml_set(&y, "solver", &(RgYamlValue){.text = "1", .how = RG_YAML_ADDS}));
    cr_assert(strstr(error.text, "no number there"));
    rg_yaml_close(&y);
}

/* A value of another document is copied with all below it; one that aliases multiply is refused. */
Test(yaml_edit, copies_of_nodes)
{
    RgError error;
    RgYaml y = opened(&error), from;
    static const char given[] = "{name: cone, list: [1, {a: b}]}";
    cr_assert(rg_yaml_open(&from, "s.yaml", given, sizeof given - 1, &error));
    y.error = &error;
    cr_assert(
        rg_yaml_set(&y, "solver", &(RgYamlValue){.from = &from, .node = yaml_document_get_root_node(&from.document)}));
    cr_assert_str_eq(get(&y, "solver.list[1].a"), "b");
    rg_yaml_close(&from);
    static const char bomb[] = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                               "e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n";
    cr_assert(rg_yaml_open(&from, "s.yaml", bomb, sizeof bomb - 1, &error));
    cr_assert_not(
        rg_yaml_set(&y, "solver", &(RgYamlValue){.from = &from, .node = yaml_document_get_root_node(&from.document)}));
    cr_assert(strstr(error.text, "too large"));
    rg_yaml_close(&from);
    rg_yaml_close(&y);
}

/* What an alias shares is changed in one place. */
Test(yaml_edit, aliases)
{
    RgError error;
    RgYaml y;
    static const char shared[] = "joints: {a: &p {damping: 1, more: {x: 1}}, b: *p}\n";
    cr_assert(rg_yaml_open(&y, "run.yaml", shared, sizeof shared - 1, &error));
    cr_assert(rg_yaml_set(&y, "joints.*.damping", &(RgYamlValue){.text = "0.5", .how = RG_YAML_ADDS}));
    cr_assert_str_eq(get(&y, "joints.a.damping"), "1.5");
    cr_assert_str_eq(get(&y, "joints.b.damping"), "1.5");
    cr_assert(set(&y, "joints.b.more.x", "7"));
    cr_assert_str_eq(get(&y, "joints.a.more.x"), "1");
    cr_assert_str_eq(get(&y, "joints.b.more.x"), "7");
    rg_yaml_close(&y);
}

/* Where a complaint about a value that was set points to. */
Test(yaml_edit, places)
{
    RgError error;
    RgYaml y = opened(&error);
    cr_assert(rg_yaml_set(&y, "state.joints.knee", &(RgYamlValue){.text = "x", .line = 7, .column = 3}));
    double number;
    yaml_node_t *last = y.document.nodes.top - 1;
    cr_assert_not(rg_yaml_number(&y, last, "knee", &number));
    rg_yaml_place_back(&error, "s.yaml", "--set");
    cr_assert_str_eq(error.file, "s.yaml");
    cr_assert(error.line == 7 && error.column == 3);
    error = (RgError){.line = 5, .file = "run.yaml"};
    rg_yaml_place_back(&error, "s.yaml", "--set");
    cr_assert(error.line == 5 && strcmp(error.file, "run.yaml") == 0);
    rg_yaml_close(&y);
}

Test(yaml_edit, refuses)
{
    RgError error;
    RgYaml y = opened(&error);
    static const char *const cases[][2] = {
        {"models[5].file", "beyond"}, {"models.leg.file", "no item"}, {"state[0]", "no list"}, {"", "empty"},
        {"a..b", "expected a name"},  {"a[x]", "whole number"},       {"a.\"b", "not closed"}, {"a[1", "whole number"},
        {"[1]", "expected a name"},   {"a]b", "expected . or ["}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_not(set(&y, cases[i][0], "1"), "%s", cases[i][0]);
        cr_assert(strstr(error.text, cases[i][1]), "%s: %s", cases[i][0], error.text);
    }
    rg_yaml_close(&y);
}
