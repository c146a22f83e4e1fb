/* adapt_options.c - options of the steppers that choose their own steps: defaults and checks. */
#include <rigor/stepper.h>

#include <math.h>
#include <stddef.h>

/* "RGAD": marks options made by rg_adapt_options_default. */
#define ADAPT_COOKIE 0x52474144u

RgAdaptOptions rg_adapt_options_default(void)
{
    return (RgAdaptOptions){.cookie = ADAPT_COOKIE,
                            .gap = 1e-7,
                            .h_min = 1e-8,
                            .h_max = INFINITY,
                            .accuracy = 1e-3,
                            .tolerance = 1e-12,
                            .energy_relative = 2.5e-3,
                            .event_time = 1e-5,
                            .order = 2,
                            .locate_friction = true};
}

static bool positive(double x)
{
    return isfinite(x) && x > 0.0;
}

static bool not_negative(double x)
{
    return isfinite(x) && x >= 0.0;
}

RgStatus rg_adapt_options_check(const RgAdaptOptions *o, const char **wrong)
{
    const char *text = NULL;
    if (o->cookie != ADAPT_COOKIE)
        text = "options of a stepper must start from rg_adapt_options_default()";
    else if (!positive(o->gap) || o->gap > 1e-2)
        text = "gap must be above 0 and at most 0.01 m";
    else if (!positive(o->h_min))
        text = "h_min must be above 0";
    else if (!(o->h_max >= o->h_min))
        text = "h_max must not be below h_min";
    else if (!positive(o->accuracy) || o->accuracy > 1.0)
        text = "accuracy must be above 0 and at most 1";
    else if (!(o->tolerance >= 1e-14 && o->tolerance <= 1.0))
        text = "tolerance must be between 1e-14 and 1";
    else if (!not_negative(o->energy_relative) || !not_negative(o->energy_absolute))
        text = "energy_relative and energy_absolute must be 0 or more";
    else if (o->energy_relative == 0.0 && o->energy_absolute == 0.0)
        text = "one of energy_relative and energy_absolute must be above 0";
    else if (!positive(o->event_time))
        text = "event_time must be above 0";
    else if (o->order != 1 && o->order != 2)
        text = "order must be 1 or 2";
    if (wrong != NULL && text != NULL)
        *wrong = text;
    return text == NULL ? RG_OK : RG_ERR_ARGUMENT;
}
