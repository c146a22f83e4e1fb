/* replay_page.h - a page, in one file, that plays a recording. */
#ifndef RIGOR_REPLAY_PAGE_H
#define RIGOR_REPLAY_PAGE_H

#include <jansson.h>
#include <stdbool.h>

typedef struct RgReplay {
    const char *path;           /* of the page; its folder exists */
    const char *recording;      /* MCAP file */
    const char *name;           /* of the scene */
    json_t *summary, *settings; /* shown beside it; released by rg_replay_write */
} RgReplay;

/* Requires the viewer's page (rg_page_present). False: message printed. */
bool rg_replay_write(const RgReplay *replay);

#endif
