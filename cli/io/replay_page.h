/* replay_page.h - a page that plays a recording, in one file that can be mailed. */
#ifndef RIGOR_REPLAY_PAGE_H
#define RIGOR_REPLAY_PAGE_H

#include <jansson.h>
#include <stdbool.h>

typedef struct RgReplay {
    const char *path;           /* of the page; its folder exists */
    const char *recording;      /* MCAP file */
    const char *name;           /* of the scene */
    json_t *summary, *settings; /* shown beside it; given back */
} RgReplay;

/* The command has the viewer's page (page.h). False: message printed. */
bool rg_replay_write(const RgReplay *replay);

#endif
