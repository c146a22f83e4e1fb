/*
 * base.h - status codes, errors, log and memory hooks, and the version; every other header includes it.
 *
 * Functions that can fail for reasons outside the program return RgStatus. Functions that read files also fill an
 * RgError with file, line and the expected input. The library never prints, exits or aborts.
 */
#ifndef RIGOR_BASE_H
#define RIGOR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RG_API __attribute__((visibility("default")))
#define RG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RG_API
#define RG_PRINTF(text, first)
#endif

/* Status codes and their texts. */
#define RG_STATUS_LIST(X)                                                                                              \
    X(RG_OK, "success")                                                                                                \
    X(RG_ERR_MEMORY, "out of memory")                                                                                  \
    X(RG_ERR_ARGUMENT, "invalid argument")                                                                             \
    X(RG_ERR_FILE, "file cannot be read or written")                                                                   \
    X(RG_ERR_SYNTAX, "malformed file")                                                                                 \
    X(RG_ERR_MODEL, "impossible model")                                                                                \
    X(RG_ERR_UNSUPPORTED, "not supported")                                                                             \
    X(RG_ERR_NOT_FINITE, "a number is not finite")                                                                     \
    X(RG_ERR_SINGULAR, "singular mass matrix")                                                                         \
    X(RG_ERR_NOT_CONVERGED, "iteration did not converge")                                                              \
    X(RG_ERR_NOT_FOUND, "no such name")                                                                                \
    X(RG_ERR_OVERLAP, "shapes overlap")

typedef enum RgStatus {
#define RG_STATUS_ENUM(code, text) code,
    RG_STATUS_LIST(RG_STATUS_ENUM)
#undef RG_STATUS_ENUM
        RG_STATUS_COUNT
} RgStatus;

/* Text of a status code; never NULL. */
RG_API const char *rg_status_text(RgStatus status);

/* An error and its place. line and column count from 1; 0: not applicable. */
typedef struct RgError {
    RgStatus status;
    int line;
    int column;
    char file[256];
    char text[512];
} RgError;

/* Writes "file:line:column: text" into buffer, without the parts that are not set; always terminated. */
RG_API void rg_error_format(const RgError *error, char *buffer, size_t size);

/* Receives warnings of readers and remarks of the simulator. file may be NULL, line 0. */
typedef struct RgLog {
    void (*write)(const char *file, int line, const char *text, void *context);
    void *context;
} RgLog;

/* Memory hooks. alloc returns a block aligned for max_align_t, or NULL. A zeroed RgAllocator stands for malloc and
   free. */
typedef struct RgAllocator {
    void *(*alloc)(size_t bytes, void *context);
    void (*release)(void *block, void *context);
    void *context;
} RgAllocator;

/* Semantic version of the library, for example "0.1.0". */
RG_API const char *rg_version(void);

#ifdef __cplusplus
}
#endif
#endif
