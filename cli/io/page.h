/* page.h - the viewer's page, one HTML file that is built into the command. */
#ifndef RIGOR_PAGE_H
#define RIGOR_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the page; NULL and size 0 if the command was built without it. */
const char *rg_page_bytes(size_t *size);

/* false, message printed: the command was built without the page. */
bool rg_page_present(const char *command);

#endif
