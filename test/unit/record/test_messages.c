/* test_messages.c - every channel of every scene: schemas, sameness, what is refused. */
#include "record/message.h"
#include "worlds.h"

#include "scenes.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stage {
    RgModel *model;
    RgWorld *world;
    RgMessages *messages;
} Stage;

static Stage stage_of(RgModel *model)
{
    Stage s = {.model = model};
    RgError error = {0};
    RgWorldDef world = rg_world_def_default();
    world.model = model;
    s.world = rg_world_create(&world, &error);
    cr_assert_not_null(s.world, "%s", error.text);
    RgMessagesDef def = rg_messages_def_default();
    def.model = model;
    s.messages = rg_messages_create(&def, &error);
    cr_assert_not_null(s.messages, "%s", error.text);
    return s;
}

static void stage_end(Stage *s)
{
    rg_messages_destroy(s->messages);
    world_end(s->world, s->model);
}

static void ignore(const RgMessage *message, void *context)
{
    (void)message;
    (void)context;
}

Test(messages, channels)
{
    int count = rg_channel_count();
    cr_expect_geq(count, 11);
    for (int i = 0; i < count; i++) {
        RgChannel channel = rg_channel(i);
        cr_expect_eq(rg_channel_find(channel.topic), i, "%s stands once", channel.topic);
        bool json = strcmp(channel.encoding, "json") == 0;
        cr_expect_str_eq(channel.schema_encoding, json ? "jsonschema" : "ros2msg");
        if (json) {
            json_t *schema = json_loads(channel.schema, 0, NULL);
            cr_expect(json_is_object(json_object_get(schema, "properties")), "%s", channel.topic);
            json_decref(schema);
        } else {
            cr_expect(strcmp(channel.encoding, "cdr") == 0 && strstr(channel.schema_name, "/msg/") != NULL);
        }
    }
    cr_expect_null(rg_channel(-1).topic);
    cr_expect_null(rg_channel(count).topic);
    cr_expect_eq(rg_channel_find("/nothing"), -1);
}

/* The same state gives the same bytes. */
static void compare_channels(Stage *a, Stage *b, const char *scene)
{
    for (int i = 0; i < rg_channel_count(); i++) {
        RgMessage x, y;
        if (rg_channel(i).when == RG_CHANNEL_EVENT)
            continue;
        cr_assert_eq(rg_messages_encode(a->messages, i, a->world, &x), RG_OK);
        cr_assert_eq(rg_messages_encode(b->messages, i, b->world, &y), RG_OK);
        cr_assert(x.size == y.size && memcmp(x.data, y.data, x.size) == 0, "%s: %s", scene, rg_channel(i).topic);
        cr_expect_eq(x.time, rg_message_time(rg_world_time(a->world)));
    }
}

static void advance(Stage *s)
{
    cr_assert_eq(rg_world_step(s->world, 1e-3, NULL), RG_OK);
    cr_assert_eq(rg_messages_encode_events(s->messages, s->world, ignore, NULL), RG_OK);
}

/* Asking changes nothing. */
Test(messages, of_every_scene)
{
    for (const Scene *scene = scene_table; scene->name != NULL; scene++) {
        Stage a = stage_of(scene->build()), b = stage_of(scene->build());
        for (int k = 0; k < 3; k++) {
            uint64_t hash = rg_world_hash(a.world);
            compare_channels(&a, &b, scene->name);
            cr_expect_eq(rg_world_hash(a.world), hash, "%s", scene->name);
            advance(&a);
            advance(&b);
        }
        stage_end(&a);
        stage_end(&b);
    }
}

Test(messages, what_is_refused)
{
    Stage s = stage_of(scene_arm()), other = stage_of(scene_arm());
    RgMessage message;
    RgError error = {0};
    cr_expect_eq(rg_messages_encode(s.messages, 0, other.world, &message), RG_ERR_ARGUMENT, "another model");
    cr_expect_eq(rg_messages_encode_events(s.messages, other.world, ignore, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_messages_encode(s.messages, -1, s.world, &message), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_messages_encode(s.messages, rg_channel_count(), s.world, &message), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_messages_encode(s.messages, rg_channel_find("/rigor/events"), s.world, &message), RG_ERR_ARGUMENT);
    RgMessagesDef zero = {.model = s.model};
    cr_expect_null(rg_messages_create(&zero, &error), "not from the default");
    cr_expect_neq(error.text[0], '\0');
    stage_end(&s);
    stage_end(&other);
}

/* The message of /rigor/step, to be given back by json_decref. */
static json_t *step_json(Stage *s)
{
    RgMessage message;
    cr_assert_eq(rg_messages_encode(s->messages, rg_channel_find("/rigor/step"), s->world, &message), RG_OK);
    json_t *step = json_loadb((const char *)message.data, message.size, JSON_DECODE_INT_AS_REAL, NULL);
    cr_assert_not_null(step);
    return step;
}

static double number_of(const json_t *value)
{
    cr_assert(json_is_real(value) || json_is_null(value));
    return json_is_real(value) ? json_real_value(value) : (double)NAN;
}

static double step_number(Stage *s, const char *name)
{
    json_t *step = step_json(s);
    double number = number_of(json_object_get(step, name));
    json_decref(step);
    return number;
}

Test(messages, speed_is_told_when_it_is_known)
{
    Stage s = stage_of(scene_arm());
    cr_expect(isnan(step_number(&s, "real_time_factor")));
    rg_messages_set_real_time_factor(s.messages, 12.5);
    cr_expect_eq(step_number(&s, "real_time_factor"), 12.5);
    RgMomentum momentum;
    cr_assert_eq(rg_world_momentum(s.world, &momentum), RG_OK);
    cr_expect_eq(step_number(&s, "energy"), momentum.kinetic + momentum.potential);
    stage_end(&s);
}

/* Links that stand still are told in the first /tf, and again after a reset. */
Test(messages, first_transforms_tell_all)
{
    Stage s = stage_of(scene_arm());
    RgMessage message;
    size_t sizes[4];
    int tf = rg_channel_find("/tf");
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            rg_messages_reset(s.messages);
        cr_assert_eq(rg_messages_encode(s.messages, tf, s.world, &message), RG_OK);
        sizes[i] = message.size;
    }
    cr_expect(sizes[0] == sizes[2] && sizes[1] == sizes[3] && sizes[0] >= sizes[1]);
    stage_end(&s);
}

/* A total of /rigor/step's aids. */
static double aid_total(Stage *s, const char *name)
{
    json_t *step = step_json(s);
    double number = number_of(json_object_get(json_object_get(json_object_get(step, "aids"), name), "total"));
    json_decref(step);
    return number;
}

/* Two shafts behind a gear, at rest: what the one is given the other holds. */
Test(messages, efforts_of_couplings_are_in_the_step)
{
    RgBuilder *b = scene_begin("gear");
    RgCouplingDef gear = rg_coupling_def_default();
    static const char *const names[2] = {"slow", "quick"};
    for (int i = 0; i < 2; i++) {
        RgLinkId link = link_add(b, names[i], inertia_diagonal(1.0, vec(0, 0, 0), vec(1.0, 1.0, 1.0)));
        RgJointDef hinge = joint_at(RG_JOINT_continuous, names[i], (RgLinkId){0}, link, vec(i, 0, 0), vec(0, 0, 1));
        gear.reference = gear.joint;
        gear.joint = joint_add(b, &hinge);
    }
    gear.ratio = 4.0;
    cr_assert(rg_builder_add_coupling(b, &gear));
    RgModel *model = scene_end(b);
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    RgMessagesDef messages = rg_messages_def_default();
    messages.model = model;
    Stage s = {model, rg_world_create(&def, &error), rg_messages_create(&messages, &error)};
    const double tau[2] = {-12.0, 3.0};
    for (int32_t i = 0; i < 2; i++)
        rg_world_set_joint_effort(s.world, (RgJointId){i + 1}, &tau[i]);
    cr_assert_eq(rg_world_step(s.world, 1e-3, NULL), RG_OK);
    json_t *step = step_json(&s);
    json_t *expected = json_pack("[{s:s, s:f, s:s, s:f}]", "joint", "quick", "effort", -3.0, "reference", "slow",
                                 "reference_effort", 12.0);
    cr_expect(json_equal(json_object_get(step, "couplings"), expected));
    json_decref(expected);
    json_decref(step);
    stage_end(&s);
}

/* Steps that nobody looked at count, a reset of what is known of contacts takes nothing away, and a second world can
   go on with the sums of the first. */
Test(messages, totals_are_those_of_all_steps)
{
    RgModel *model = scene_arm();
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.dissipation = 0.05;
    RgMessagesDef messages = rg_messages_def_default();
    messages.model = model;
    Stage s = {model, rg_world_create(&def, &error), rg_messages_create(&messages, &error)};
    cr_assert(s.world != NULL && s.messages != NULL, "%s", error.text);
    double sum = 0.0;
    RgStepReport report;
    for (int k = 0; k < 40; k++) {
        cr_assert_eq(rg_world_step(s.world, 1e-3, &report), RG_OK);
        sum += report.dissipated;
        if (k == 20)
            rg_messages_reset(s.messages);
        if (k % 7 == 0)
            cr_assert_eq(rg_messages_encode_events(s.messages, s.world, ignore, NULL), RG_OK);
    }
    cr_assert_gt(sum, 0.0);
    cr_expect_eq(aid_total(&s, "dissipation"), -sum);

    /* A state that is loaded, as that of a world that takes over is. */
    RgEnergySums sums = rg_world_energy_sums(s.world);
    Stage next = {model, rg_world_create(&def, &error), s.messages};
    cr_assert_not_null(next.world, "%s", error.text);
    cr_expect_eq(aid_total(&next, "dissipation"), 0.0);
    rg_world_set_energy_sums(next.world, &sums);
    cr_assert_eq(rg_world_set_state(next.world, rg_world_q(s.world), rg_world_v(s.world)), RG_OK);
    cr_expect_eq(aid_total(&next, "dissipation"), -sum);
    cr_assert_eq(rg_world_step(next.world, 1e-3, &report), RG_OK);
    cr_expect_eq(aid_total(&next, "dissipation"), -(sum + report.dissipated));
    rg_world_set_energy_sums(next.world, NULL);
    cr_expect_eq(aid_total(&next, "dissipation"), 0.0);
    rg_world_destroy(next.world);
    stage_end(&s);
}
