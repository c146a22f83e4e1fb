/*
 * page.c - the viewer's page in the command: the assembler includes the built file, viewer/dist/index.html.
 *
 * RIGOR_PAGE_FILE is its path; cmake/page.cmake builds the page and sets it. Without Node there is no page, and the
 * commands that need it report that.
 */
#include "io/page.h"

#include <stdio.h>

#ifdef RIGOR_PAGE_FILE

__asm__(".section .rodata\n"
        ".global rg_page_first\n"
        ".global rg_page_end\n"
        "rg_page_first:\n"
        ".incbin \"" RIGOR_PAGE_FILE "\"\n"
        "rg_page_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char rg_page_first[], rg_page_end[];

const char *rg_page_bytes(size_t *size)
{
    *size = (size_t)(rg_page_end - rg_page_first);
    return *size > 0 ? rg_page_first : NULL;
}

#else

const char *rg_page_bytes(size_t *size)
{
    *size = 0;
    return NULL;
}

#endif

bool rg_page_present(const char *command)
{
    size_t size;
    if (rg_page_bytes(&size))
        return true;
    fprintf(stderr,
            "rigor %s: this rigor was built without the viewer's page.\n"
            "The page is built with Node.js 18 or later and npm (Debian: apt-get install nodejs npm);\n"
            "then configure and build again: make build.\n",
            command);
    return false;
}
