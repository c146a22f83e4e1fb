/* page.h - the viewer's page, one HTML file, as it was built into the command. */
#ifndef RIGOR_PAGE_H
#define RIGOR_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Its bytes; NULL and 0 where the command was built without it. */
const char *rg_page_bytes(size_t *size);

/* false, message printed: the command was built without the page. */
bool rg_page_present(const char *command);

#endif
