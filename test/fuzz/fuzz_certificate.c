/*
 * fuzz_certificate.c - any bytes as a certificate: once as they are, once with the line that makes them whole. Nothing
 * may crash, leak, run wild, or be called good that has an overlap.
 */
#include <rigor/verify.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void verify(const char *text, size_t size)
{
    RgVerifyOptions options = rg_verify_options_default();
    RgVerifyReport report;
    RgError error;
    options.max_intervals = 20;
    RgStatus status = rg_verify_text("fuzz", text, size, &options, &report, &error);
    if (status != RG_OK && (error.status == RG_OK || error.text[0] == '\0' || report.ok))
        abort();
    if (status == RG_OK && report.ok && (report.missed > 0 || isnan(report.min_distance)))
        abort();
    if (status == RG_OK && report.ok && (!report.holds || report.plain > 0 || report.steps == 0))
        abort();
    if (status == RG_OK && !report.holds && report.fault[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(size + 80, 1);
    if (text == NULL)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    verify(text, size);
    if (size == 0 || text[size - 1] != '\n')
        text[size++] = '\n';
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    long long lines = 0;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
        lines += text[i] == '\n';
    }
    int end = snprintf(text + size, 80, "end %lld %016llx\n", lines, (unsigned long long)hash);
    verify(text, size + (size_t)end);
    free(text);
    return 0;
}
