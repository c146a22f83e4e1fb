/*
 * cmd_view.c - `rigor view FILE [FILE2]`: shows a simulation while it runs, or one or two recordings, on a page in the
 * browser.
 *
 * A file that begins with the eight bytes of MCAP, or whose name ends in .mcap, is a recording. Any other file is
 * simulated as by `rigor run` in a second thread (view_sim.c), while this one serves the page (view_server.c). Prints
 * the address of the page. Ctrl-C ends the command with exit code 0.
 *
 * Fails on what `rigor run` fails on; files that are no recordings; a port in use; an address that is not one of
 * this machine; a build without libwebsockets or without the page.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"
#include "io/error.h"
#include "io/options.h"
#include "io/page.h"
#include "plan/plan_open.h"
#include "plan/plan_options.h"
#include "run/run_control.h"
#include "view/view_access.h"
#include "view/view_server.h"
#include "view/view_sim.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEFAULT_PORT = 7420, PORT_MAX = 65535 };

#define DEFAULT_FRAMES 30.0
#define FRAMES_MAX 240.0

static const RgOptionSpec view_options[] = {
    {"port", "N", "port to serve at, 0 for any free one (default 7420, or any free one if that is in use)"},
    {"listen", "ADDR", "address to serve at (default 127.0.0.1: this machine only); see below"},
    {"frames", "N", "frames per second at most, 1 to 240 (default 30)"},
    {"speed", "X", "times real time, 0 for as fast as possible (default 1)"},
    {"paused", NULL, "wait for play; otherwise the simulation starts when the page is opened"},
    RG_SIMULATION_OPTIONS,
    {"quiet", NULL, "no warnings"},
};

static void print_notes(void)
{
    printf("%s", rg_plan_simulation_notes);
    rg_plan_print_lists();
}

#ifdef RIGOR_WEBSOCKETS

typedef struct ViewSettings {
    RgViewServerDef server;
    bool any_port; /* no --port */
    double frames, speed;
} ViewSettings;

/* ------------------------------------------------------------------ options and files */

static bool read_settings(const RgOptions *options, ViewSettings *settings)
{
    double port = NAN;
    *settings = (ViewSettings){.frames = DEFAULT_FRAMES, .speed = 1.0};
    if (!rg_options_number(options, "port", 0, PORT_MAX, &port) ||
        !rg_options_number(options, "frames", 1, FRAMES_MAX, &settings->frames) ||
        !rg_options_number(options, "speed", 0, RG_VIEW_SPEED_MAX, &settings->speed))
        return false;
    if (!isnan(port) && port != floor(port))
        return rg_options_complain(options, "--port: expected a whole number");
    const char *listen = rg_options_value(options, "listen");
    settings->any_port = isnan(port);
    settings->server.port = isnan(port) ? DEFAULT_PORT : (int)port;
    settings->server.listen = listen ? listen : "127.0.0.1";
    return true;
}

/* Whether a file is a recording: by its name, else by its first bytes. */
static bool is_recording(const char *path)
{
    static const char magic[8] = {'\x89', 'M', 'C', 'A', 'P', '0', '\r', '\n'};
    char head[sizeof magic];
    struct stat at;
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".mcap") == 0)
        return true;
    FILE *file = stat(path, &at) == 0 && S_ISREG(at.st_mode) ? fopen(path, "rb") : NULL;
    bool is = file && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, magic, sizeof head) == 0;
    if (file)
        fclose(file);
    return is;
}

/* ------------------------------------------------------------------ serving */

static volatile sig_atomic_t stop_requested; /* set by the handler, read by the server */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

/* The first Ctrl-C ends the server, the second one kills the process. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Listens; if no port is given and the default one is in use, at another. NULL: message printed. */
static RgViewServer *open_server(ViewSettings *settings)
{
    RgError error = {0};
    bool in_use = false;
    RgViewServer *server = rg_view_server_create(&settings->server, &in_use, &error);
    if (!server && in_use && settings->any_port) {
        settings->server.port = 0;
        server = rg_view_server_create(&settings->server, &in_use, &error);
    }
    if (!server)
        rg_error_print(&error);
    return server;
}

/* Prints the address, and serves the page until Ctrl-C. */
static int serve(RgViewServer *server, const ViewSettings *settings, const char *what)
{
    const char *listen = settings->server.listen;
    bool everywhere = strcmp(listen, "0.0.0.0") == 0 || strcmp(listen, "::") == 0;
    const char *shown = strcmp(listen, "::") == 0 ? "::1" : everywhere ? "127.0.0.1" : listen;
    catch_interrupt();
    printf(strchr(shown, ':') ? "%s: http://[%s]:%d/%s (Ctrl-C ends it)\n" : "%s: http://%s:%d/%s (Ctrl-C ends it)\n",
           what, shown, rg_view_server_port(server), everywhere ? " and every other address of this machine" : "");
    if (fflush(stdout) != 0)
        return RG_EXIT_FAILED;
    rg_view_server_run(server, &stop_requested);
    return RG_EXIT_OK;
}

static int replay(const RgOptions *options, ViewSettings *settings)
{
    for (int i = 0; i < options->nfiles; i++) {
        RgError error = {0};
        if (rg_recording_check(options->files[i], &error) != RG_OK) {
            rg_error_print(&error);
            return RG_EXIT_USAGE;
        }
        if (!rg_options_has(options, "quiet"))
            rg_print_if_cut_off(options->files[i]);
        settings->server.recordings[settings->server.nrecordings++] = options->files[i];
    }
    RgViewServer *server = open_server(settings);
    int code = server ? serve(server, settings, options->nfiles > 1 ? "comparison" : "replay") : RG_EXIT_FAILED;
    rg_view_server_destroy(server);
    return code;
}

/* Runs, once the world exists. Exit code. */
static int simulate(RgRun *run, ViewSettings *settings, bool paused)
{
    RgError error = {0};
    RgViewServer *server = open_server(settings);
    RgViewHub *hub = server ? rg_hub_create(rg_view_server_wake, server) : NULL;
    RgViewSimDef def = {.run = run, .hub = hub, .frames = settings->frames, .speed = settings->speed, .paused = paused};
    int code = RG_EXIT_FAILED;
    if (hub) {
        rg_view_server_set_hub(server, hub);
        RgViewSim *sim = rg_view_sim_start(&def, &error);
        if (sim)
            code = serve(server, settings, "live view");
        else
            rg_error_print(&error);
        rg_view_sim_stop(sim);
    } else if (server) {
        fprintf(stderr, "rigor: out of memory\n");
    }
    rg_view_server_destroy(server);
    rg_hub_destroy(hub);
    return code;
}

static int live(const RgOptions *options, ViewSettings *settings)
{
    RgRun run = {.model = NULL};
    RgError error = {0};
    int code = RG_EXIT_USAGE;
    if (rg_plan_open(&run.plan, options->file, &error) != RG_OK) {
        rg_error_print(&error);
    } else if (rg_plan_apply_simulation(&run.plan, options)) {
        /* Outputs of the run file are not written. */
        rg_plan_drop_outputs(&run.plan);
        RgStatus status = rg_run_start(&run, &error);
        if (status == RG_OK)
            status = rg_run_check_delay(&run, &error);
        if (!run.plan.quiet)
            rg_plan_print_remarks(&run.plan);
        if (status == RG_OK)
            code = simulate(&run, settings, rg_options_has(options, "paused"));
        else
            rg_error_print(&error);
    }
    rg_run_free(&run);
    return code;
}

static int run_view(const RgOptions *options)
{
    ViewSettings settings;
    if (!read_settings(options, &settings))
        return RG_EXIT_USAGE;
    if (!rg_page_present("view"))
        return RG_EXIT_FAILED;
    int recordings = 0;
    for (int i = 0; i < options->nfiles; i++)
        recordings += is_recording(options->files[i]);
    if (recordings == options->nfiles)
        return replay(options, &settings);
    if (options->nfiles > 1) {
        rg_options_complain(options, "two files are compared only if both are recordings (.mcap)");
        return RG_EXIT_USAGE;
    }
    return live(options, &settings);
}

#else

static int run_view(const RgOptions *options)
{
    (void)options;
    fprintf(stderr, "rigor view: this rigor was built without libwebsockets, which serves the page.\n"
                    "Install it (Debian: apt-get install libwebsockets-dev), then configure and build again:\n"
                    "make build.\n");
    return RG_EXIT_FAILED;
}

#endif

RG_COMMAND(view, "show a simulation live, or replay recordings, in the browser", .run = run_view,
           .notes =
               "FILE is a URDF, SDF or YAML run file, which is simulated without end, or a recording (rigor run "
               "--record\n"
               "OUT.mcap), which is replayed; two recordings are compared. Open the printed address in a browser.\n"
               "With --listen 0.0.0.0 everybody who can reach this machine can see and control the simulation.\n\n",
           .print_lists = print_notes, .more_options = rg_plan_live_options, .max_files = RG_OPTIONS_FILES_MAX);
