/* gnuplot.c - finds gnuplot on the path, runs it. */
#define _XOPEN_SOURCE 700
#include "io/gnuplot.h"

#include "io/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_RUN = 127 };

bool rg_gnuplot_present(void)
{
    RgPool pool = {NULL};
    bool found = false;
    for (const char *at = getenv("PATH"); at && *at && !found;) {
        size_t n = strcspn(at, ":");
        const char *file = rg_pool_print(&pool, "%.*s/gnuplot", (int)n, at);
        found = n > 0 && access(file, X_OK) == 0;
        at += n + (at[n] == ':');
    }
    rg_pool_free(&pool);
    return found;
}

int rg_gnuplot_run(const char *folder, const char *script)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool ready = chdir(folder) == 0 && freopen("gnuplot.log", "w", stderr) && freopen("/dev/null", "w", stdout);
        if (ready)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(NOT_RUN);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RUN;
}
