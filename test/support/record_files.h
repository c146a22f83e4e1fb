/*
 * record_files.h - for the tests of record: a folder of their own, files read whole, and a Python to look at
 * them.
 */
#ifndef TEST_RECORD_FILES_H
#define TEST_RECORD_FILES_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Folder {
    char path[64];
} Folder;

typedef struct FilePath {
    char text[128];
} FilePath;

static inline Folder folder_make(void)
{
    Folder folder = {"/tmp/rigor-record-XXXXXX"};
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static inline FilePath folder_file(const Folder *folder, const char *name)
{
    FilePath path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder->path, name);
    return path;
}

static inline int folder_count(const Folder *folder)
{
    int count = 0;
    DIR *dir = opendir(folder->path);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static inline void folder_remove(const Folder *folder)
{
    DIR *dir = opendir(folder->path);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[sizeof folder->path + sizeof entry->d_name + 1];
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(folder->path);
}

/* Up to size - 1 bytes of a file, terminated; the number of bytes. */
static inline size_t file_read(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t count = fread(buffer, 1, size - 1, file);
    buffer[count] = '\0';
    fclose(file);
    return count;
}

/* Runs a Python script with one argument. True if it ended well; assertions in it print what they found. */
static inline bool python_run(const char *script, const char *argument)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        execl("/usr/bin/python3", "python3", "-c", script, argument, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whether the system's Python has a module. */
static inline bool python_has(const char *module)
{
    return python_run("import sys, importlib.util\n"
                      "sys.exit(importlib.util.find_spec(sys.argv[1]) is None)",
                      module);
}

/* Skips the test where it has not. */
static inline void need_python(const char *module)
{
    if (!python_has(module))
        cr_skip_test("/usr/bin/python3 with %s is not installed", module);
}

#endif
