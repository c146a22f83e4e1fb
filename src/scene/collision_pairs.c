/*
 * collision_pairs.c - collision filters of URDF and SDF files.
 *
 *   drake:collision_filter_group name      a set of links (not read with ignore="true")
 *     drake:member                           a link
 *     drake:member_collision_filter_group    the links of another group, and of the groups in that one
 *     drake:ignored_collision_filter_group   no link of the set touches a link of that group, which may be the set
 *                                            itself
 *   disable_collisions link1 link2         these two never touch
 *   enable_collisions link1 link2          these two may touch, whatever the groups say
 *
 * Names are in an attribute (link, name) or in the text. Groups belong to the element that contains them. The links of
 * a group are collected with a stack and stamps, so that groups that contain one another do not loop. The pairs of
 * groups are added first and the single pairs after them in file order: the last entry of a pair decides. A missing
 * link or group is a remark, not an error: robots are often split over files.
 */
#include "scene/collision_pairs.h"

#include "model/model_builder.h"

#include <stdio.h>
#include <string.h>

static const char group_tag[] = "drake:collision_filter_group";
static const char member_tag[] = "drake:member";
static const char inner_tag[] = "drake:member_collision_filter_group";
static const char ignored_tag[] = "drake:ignored_collision_filter_group";

typedef struct FilterGroup {
    const RgXml *xml;
    const char *name;
    bool is_collected; /* links is filled */
    RgLinkId *links;   /* nlinks: its own and those of the groups in it */
    int nlinks;
    int stamp; /* 1 + the last group whose links were collected from this one */
} FilterGroup;

typedef struct Filters {
    RgReader *reader;
    RgLinkFind *find;
    void *context;
    FilterGroup *groups;
    int ngroups;
    RgNameMap names;
    int *stack;       /* ngroups */
    int *link_stamps; /* links + 1: 1 + the last group that contains the link */
    int steps;        /* steps so far, at most RG_COLLISION_PAIRS_MAX */
} Filters;

/* Counts one more step. False: there were too many (the error is set), or an earlier error. */
static bool count_step(Filters *f, const RgXml *at)
{
    if (++f->steps > RG_COLLISION_PAIRS_MAX)
        return rg_reader_fail(f->reader, RG_ERR_UNSUPPORTED, at, "more than %d pairs of links in the filters",
                              RG_COLLISION_PAIRS_MAX);
    return rg_reader_ok(f->reader);
}

/* The name in an attribute or in the text of an element. NULL: there is none (the error is set). */
static const char *read_name(RgReader *reader, const RgXml *xml, const char *attribute)
{
    const char *name = rg_xml_attribute(xml, attribute);
    if (name == NULL)
        name = xml->text;
    if (name[0] != '\0')
        return name;
    rg_reader_fail(reader, RG_ERR_SYNTAX, xml, "<%s> names no %s", xml->name,
                   strcmp(attribute, "link") == 0 ? "link" : "group");
    return NULL;
}

/* Remark about a name that is not found, once per name. */
static void remark_missing(Filters *f, const RgXml *xml, const char *what, const char *name)
{
    char key[RG_NAME_MAX + 40];
    snprintf(key, sizeof key, "no %s %.*s", what, RG_NAME_MAX, name);
    rg_reader_warn_once(f->reader, xml, key, "<%s>: there is no %s '%.100s'; skipped", xml->name, what, name);
}

/* ------------------------------------------------------------------ groups */

static void collect_groups(Filters *f, const RgXml *element)
{
    for (const RgXml *xml = rg_xml_child(element, group_tag); xml != NULL && rg_reader_ok(f->reader);
         xml = rg_xml_next_same(xml)) {
        static const char *const known[] = {member_tag, inner_tag, ignored_tag, NULL};
        static const char *const skipped[] = {NULL};
        const char *ignore = rg_xml_attribute(xml, "ignore");
        const char *name = rg_reader_name(f->reader, xml, "name");
        if (name == NULL || (ignore != NULL && rg_reader_flag(f->reader, xml, ignore)))
            continue;
        rg_reader_expect(f->reader, xml, known, skipped);
        if (rg_name_map_find(&f->names, name) >= 0)
            rg_reader_fail(f->reader, RG_ERR_MODEL, xml, "duplicate collision filter group '%s'", name);
        else if (!rg_name_map_set(&f->names, &f->reader->arena, name, f->ngroups))
            rg_reader_fail_memory(f->reader);
        f->groups[f->ngroups++] = (FilterGroup){.xml = xml, .name = name};
    }
}

/* Index of the group that a child of a group names. -1: not found (with a remark). */
static int find_group(Filters *f, const RgXml *xml)
{
    const char *name = read_name(f->reader, xml, "name");
    int found = name != NULL ? rg_name_map_find(&f->names, name) : -1;
    if (name != NULL && found < 0)
        remark_missing(f, xml, "collision filter group", name);
    return found;
}

/* Adds a link to a group, once. */
static void add_member(Filters *f, int group, const RgXml *xml)
{
    const char *name = read_name(f->reader, xml, "link");
    RgLinkId link;
    if (name == NULL)
        return;
    if (!f->find(f->context, name, &link)) {
        remark_missing(f, xml, "link", name);
        return;
    }
    if (f->link_stamps[link.i] == group + 1)
        return;
    f->link_stamps[link.i] = group + 1;
    f->groups[group].links[f->groups[group].nlinks++] = link;
}

/* Collects the links of a group and of all groups in it. */
static void collect_links(Filters *f, int group)
{
    FilterGroup *own = &f->groups[group];
    if (own->is_collected)
        return;
    own->is_collected = true;

    /* The group and all groups in it, each once, on the stack. */
    int count = 0;
    int64_t members = 0;
    f->stack[count++] = group;
    own->stamp = group + 1;
    for (int at = 0; at < count; at++)
        for (const RgXml *xml = f->groups[f->stack[at]].xml->first; xml != NULL; xml = xml->next) {
            members += strcmp(xml->name, member_tag) == 0;
            int inner = strcmp(xml->name, inner_tag) == 0 ? find_group(f, xml) : -1;
            if (!count_step(f, xml))
                return;
            if (inner >= 0 && f->groups[inner].stamp != group + 1) {
                f->groups[inner].stamp = group + 1;
                f->stack[count++] = inner;
            }
        }
    own->links = RG_ARENA_ALLOC(&f->reader->arena, RgLinkId, members);
    if (own->links == NULL) {
        rg_reader_fail_memory(f->reader);
        return;
    }
    for (int at = 0; at < count; at++)
        for (const RgXml *xml = rg_xml_child(f->groups[f->stack[at]].xml, member_tag); xml != NULL;
             xml = rg_xml_next_same(xml))
            add_member(f, group, xml);
}

/* ------------------------------------------------------------------ pairs */

static void add_pair(Filters *f, const RgXml *at, RgLinkId a, RgLinkId b, bool collide)
{
    RgCollisionPairDef def = rg_collision_pair_def_default();
    def.link_a = a;
    def.link_b = b;
    def.collide = collide;
    def.line = at->line;
    if (count_step(f, at) && !rg_builder_add_collision_pair(f->reader->builder, &def))
        rg_reader_fail_builder(f->reader);
}

/* Whether an earlier group ignores this one, so that the same pairs are there already. */
static bool is_added_already(Filters *f, int group, int ignored)
{
    if (ignored >= group)
        return false;
    for (const RgXml *xml = rg_xml_child(f->groups[ignored].xml, ignored_tag); xml != NULL;
         xml = rg_xml_next_same(xml)) {
        const char *name = read_name(f->reader, xml, "name");
        if (!count_step(f, xml) || (name != NULL && rg_name_map_find(&f->names, name) == group))
            return true;
    }
    return false;
}

static void ignore_group(Filters *f, int group, int ignored, const RgXml *at)
{
    collect_links(f, group);
    collect_links(f, ignored);
    const FilterGroup *a = &f->groups[group], *b = &f->groups[ignored];
    for (int i = 0; i < a->nlinks && rg_reader_ok(f->reader); i++)
        for (int j = group == ignored ? i + 1 : 0; j < b->nlinks; j++)
            if (a->links[i].i != b->links[j].i)
                add_pair(f, at, a->links[i], b->links[j], false);
}

static void add_group_pairs(Filters *f)
{
    for (int group = 0; group < f->ngroups; group++)
        for (const RgXml *xml = rg_xml_child(f->groups[group].xml, ignored_tag); xml != NULL && rg_reader_ok(f->reader);
             xml = rg_xml_next_same(xml)) {
            int ignored = find_group(f, xml);
            if (ignored >= 0 && !is_added_already(f, group, ignored))
                ignore_group(f, group, ignored, xml);
        }
}

/* disable_collisions, enable_collisions. */
static void add_single_pair(Filters *f, const RgXml *xml, bool collide)
{
    RgLinkId links[2];
    static const char *const attributes[2] = {"link1", "link2"};
    for (int k = 0; k < 2; k++) {
        const char *name = rg_reader_name(f->reader, xml, attributes[k]);
        if (name == NULL)
            return;
        if (!f->find(f->context, name, &links[k])) {
            remark_missing(f, xml, "link", name);
            return;
        }
    }
    if (links[0].i == links[1].i)
        rg_reader_warn(f->reader, xml, "<%s> of a link with itself is skipped", xml->name);
    else
        add_pair(f, xml, links[0], links[1], collide);
}

/* ------------------------------------------------------------------ all */

bool rg_collision_pairs_present(const RgXml *element)
{
    return rg_xml_child(element, group_tag) != NULL || rg_xml_child(element, "disable_collisions") != NULL ||
           rg_xml_child(element, "enable_collisions") != NULL;
}

void rg_collision_pairs_read(RgReader *reader, const RgXml *element, RgLinkFind *find, void *context)
{
    if (!rg_collision_pairs_present(element) || !rg_reader_ok(reader))
        return;
    int groups = 0;
    for (const RgXml *xml = rg_xml_child(element, group_tag); xml != NULL; xml = rg_xml_next_same(xml))
        groups++;
    Filters f = {.reader = reader,
                 .find = find,
                 .context = context,
                 .groups = RG_ARENA_ALLOC(&reader->arena, FilterGroup, groups),
                 .stack = RG_ARENA_ALLOC(&reader->arena, int, groups),
                 .link_stamps = RG_ARENA_ALLOC(&reader->arena, int, reader->builder->nlinks + 1)};
    if (f.groups == NULL || f.stack == NULL || f.link_stamps == NULL) {
        rg_reader_fail_memory(reader);
        return;
    }
    collect_groups(&f, element);
    if (rg_reader_ok(reader))
        add_group_pairs(&f);
    for (const RgXml *xml = element->first; xml != NULL && rg_reader_ok(reader); xml = xml->next) {
        bool enable = strcmp(xml->name, "enable_collisions") == 0;
        if (enable || strcmp(xml->name, "disable_collisions") == 0)
            add_single_pair(&f, xml, enable);
    }
}
