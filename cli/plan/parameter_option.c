/*
 * parameter_option.c - the option --parameter KIND.NAME.KEY=VALUE[,VALUE...] of all commands that load a model.
 *
 * KIND ends at the first dot. Names and keys (com.z, origin.xyz.x) may contain dots: of the text before the last '=' the
 * key is the shortest ending that is a key, and the rest before it is the name.
 */
#include "plan/parameters.h"

#include "io/options.h"
#include "plan/plan.h"

#include <string.h>

/* The start of the last `words` words, separated by dots, in [from, to); NULL: fewer, or no name before them. */
static const char *last_words(const char *from, const char *to, int words)
{
    const char *at = to;
    for (int dots = 0; at > from; at--) {
        dots += at[-1] == '.';
        if (dots == words)
            return at - 1 > from ? at : NULL;
    }
    return NULL;
}

static bool complain_of_key(RgPlan *plan, const RgOptions *options, const char *text, RgParameterKind kind,
                            const char *key)
{
    const char *name = rg_parameter_kind_name(kind);
    const char *nearest = rg_parameter_nearest(kind, key);
    return nearest ? rg_options_complain(options, "--parameter: '%s': %s have no '%s'; did you mean '%s'?", text, name,
                                         key, nearest)
                   : rg_options_complain(options, "--parameter: '%s': %s have no '%s'; expected one of %s", text, name,
                                         key, rg_parameter_list(plan, kind));
}

/* KIND, NAME and KEY of the text before equals. */
static bool read_key(RgPlan *plan, const RgOptions *options, const char *text, const char *equals, RgPlanParameter *out)
{
    const char *dot = strchr(text, '.');
    RgParameterKind kind;
    if (!dot || dot > equals ||
        !rg_parameter_find_kind(rg_pool_print(&plan->pool, "%.*s", (int)(dot - text), text), &kind))
        return rg_options_complain(options, "--parameter: '%s': expected links, joints, shapes or couplings and a dot",
                                   text);
    for (int words = 1; words <= 3; words++) {
        const char *key = last_words(dot + 1, equals, words);
        if (!key)
            break;
        if (!rg_parameter_resolve(kind, rg_pool_print(&plan->pool, "%.*s", (int)(equals - key), key), out))
            continue;
        out->name = rg_pool_print(&plan->pool, "%.*s", (int)(key - 1 - (dot + 1)), dot + 1);
        return true;
    }
    const char *last = last_words(dot + 1, equals, 1);
    if (!last)
        return rg_options_complain(options, "--parameter: '%s': expected KIND.NAME.KEY=VALUE", text);
    return complain_of_key(plan, options, text, kind, rg_pool_print(&plan->pool, "%.*s", (int)(equals - last), last));
}

static bool read_values(RgPlan *plan, const RgOptions *options, const char *list, RgPlanParameter *p)
{
    double values[RG_PARAMETER_NUMBERS];
    const char *takes = "";
    int count = 0;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL, count++) {
        const char *word = rg_pool_print(&plan->pool, "%.*s", (int)strcspn(at, ","), at);
        if (count == RG_PARAMETER_NUMBERS)
            return rg_options_complain(options, "--parameter: '%s': more than %d numbers", p->text,
                                       RG_PARAMETER_NUMBERS);
        if (!rg_parameter_number(p, word, &values[count]))
            return rg_options_complain(options, "--parameter: '%s': expected %s, found '%s'", p->text,
                                       rg_parameter_expects(p), word);
    }
    if (!rg_parameter_fill(p, values, count, &takes))
        return rg_options_complain(options, "--parameter: '%s': expected %s, found %d", p->text, takes, count);
    return true;
}

bool rg_parameter_apply_options(RgPlan *plan, const RgOptions *options)
{
    for (int i = 0; i < options->ngiven; i++) {
        const char *text = options->given[i].value;
        if (strcmp(options->given[i].spec->name, "parameter") != 0)
            continue;
        const char *equals = strrchr(text, '=');
        RgPlanParameter p = {.spec = NULL};
        if (!equals)
            return rg_options_complain(options, "--parameter: '%s': expected KIND.NAME.KEY=VALUE", text);
        if (!read_key(plan, options, text, equals, &p))
            return false;
        p.text = text;
        p.level = RG_LEVEL_OPTION;
        if (!read_values(plan, options, equals + 1, &p))
            return false;
        rg_parameter_add(plan, p);
    }
    return true;
}
