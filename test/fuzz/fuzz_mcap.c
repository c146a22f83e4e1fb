/* fuzz_mcap.c - any bytes as an MCAP file: read from front to back and from the middle on, and exported. Nothing may
   crash, leak or run wild. */
#define _GNU_SOURCE
#include <rigor/record.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FAILURES_MAX = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every message, every byte of them. */
static void read_all(RgRecording *recording)
{
    volatile uint8_t last = 0;
    int failures = 0;
    RgMessage message = {.data = ""};
    while (message.data != NULL && failures < FAILURES_MAX) {
        RgError error;
        if (rg_recording_next(recording, &message, &error) != RG_OK) {
            message.data = "";
            failures++;
            continue;
        }
        for (size_t i = 0; message.data != NULL && i < message.size; i++)
            last = ((const uint8_t *)message.data)[i];
    }
    (void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("recording", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    RgError error;
    RgRecording *recording = rg_recording_open(path, &error);
    if (recording != NULL) {
        read_all(recording);
        rg_recording_seek(recording, rg_recording_info(recording).last / 2);
        read_all(recording);
        rg_recording_close(recording);
    }
    long long rows;
    rg_recording_export(path, "/dev/null", "csv", &rows, &error);
    close(file);
    return 0;
}
