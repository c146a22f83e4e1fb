/* lab_film.c - recordings of an experiment's worlds, which its page plays. */
#include "lab.h"

#include <math.h>

#define FRAME_RATE 60.0 /* 1/s of simulated time */
#define ROUND_OFF 1e-9  /* s: tolerance of a frame's time */

struct LabFilm {
    LabFilm *next;
    Lab *lab;
    RgRecorder *recorder; /* NULL: ended, or it failed */
    const char *name, *title;
    double next_frame, period;
};

static void film_lost(LabFilm *film, const char *why)
{
    lab_say(film->lab, "film %s: %s", film->name, why);
    film->recorder = NULL;
}

LabFilm *lab_film(Lab *lab, const char *name, const char *title, RgWorld *world, double rate)
{
    RgError error = {.status = RG_OK};
    RgMessagesDef def = rg_messages_def_default();
    RgWorldSettings settings = rg_world_settings(world);
    def.model = rg_world_model(world);
    def.name = title;
    LabFilm *film = lab_take(lab, sizeof *film);
    *film =
        (LabFilm){.lab = lab,
                  .name = lab_print(lab, "%s", name),
                  .title = lab_print(lab, "%s (%s, %s, %s)", title, settings.coords, settings.stepper, settings.solver),
                  .next_frame = rg_world_time(world),
                  .period = 1.0 / (rate > 0.0 ? rate : FRAME_RATE)};
    film->recorder = rg_recorder_create_for(&def, lab_print(lab, "%s/%s.mcap", lab_folder(lab), name), "mcap", &error);
    film->next = *lab_first_film(lab);
    *lab_first_film(lab) = film;
    if (!film->recorder) {
        film_lost(film, error.text);
        return NULL;
    }
    lab_film_step(film, world);
    return film;
}

void lab_film_step(LabFilm *film, RgWorld *world)
{
    if (!film || !film->recorder)
        return;
    RgError error;
    RgStatus status = rg_recorder_step(film->recorder, world);
    double t = rg_world_time(world);
    if (status == RG_OK && t >= film->next_frame - ROUND_OFF) {
        status = rg_recorder_add(film->recorder, world);
        while (film->next_frame <= t + ROUND_OFF)
            film->next_frame += film->period;
    }
    if (status != RG_OK) {
        rg_recorder_finish(film->recorder, &error);
        film_lost(film, rg_status_text(status));
    }
}

void lab_film_end(LabFilm *film)
{
    if (!film || !film->recorder)
        return;
    RgError error = {.status = RG_OK};
    RgStatus status = rg_recorder_finish(film->recorder, &error);
    film->recorder = NULL;
    if (status == RG_OK)
        lab_record(film->lab, "film", film->name, 0.0, film->title);
    else
        film_lost(film, error.text);
}

bool lab_films_close(Lab *lab)
{
    for (LabFilm *film = *lab_first_film(lab); film; film = film->next)
        lab_film_end(film);
    return true;
}
