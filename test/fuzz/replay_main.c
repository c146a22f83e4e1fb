/*
 * replay_main.c - runs a fuzz target over a folder of stored inputs, without libFuzzer.
 *
 * usage: replay FOLDER
 *
 * Succeeds if every input came back; a target that fails crashes or reports through a sanitizer. An absent or
 * empty folder is a failure, since a check of nothing proves nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs one file through the target; returns whether it could be read. */
static int replay_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size > 0 ? size : 1);
    FILE *file = fopen(path, "rb");
    int read = data != NULL && file != NULL && fread(data, 1, size, file) == size;
    if (read)
        LLVMFuzzerTestOneInput(data, size);
    if (file != NULL)
        fclose(file);
    free(data);
    return read;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "replay: no folder %s\n", argc == 2 ? argv[1] : "given");
        return 1;
    }

    /* The name is printed first, so that a crash tells its input. */
    int count = 0, unread = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[4096];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        printf("%s\n", entry->d_name);
        fflush(stdout);
        count++;
        unread += !replay_file(path, (size_t)info.st_size);
    }
    closedir(folder);

    printf("%d inputs, %d unreadable\n", count, unread);
    return count > 0 && unread == 0 ? 0 : 1;
}
