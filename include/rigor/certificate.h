/*
 * certificate.h - records the steps of a stepper that locates events, so that an independent program can check them.
 *
 *   RgCertificate *c = rg_certificate_begin(world, "run.cert", &error);
 *   ... rg_world_step(world, h, &report) ...
 *   rg_certificate_finish(c, &error);
 *   rg_certificate_destroy(c);
 *
 * The file holds the shapes, the pairs that can make contact, and for every inner step the path of every body, the
 * bound, the pair that limited the step, and the events (docs/certificate.md). rigor/verify.h checks it.
 */
#ifndef RIGOR_CERTIFICATE_H
#define RIGOR_CERTIFICATE_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgCertificate RgCertificate;

/* Records every later step of the world; path NULL: in memory. The world must outlive the certificate and can have one
   at a time. Returns NULL on failure; error (may be NULL) has the reason. RG_ERR_UNSUPPORTED: the world's stepper makes
   no inner steps. */
RG_API RgCertificate *rg_certificate_begin(RgWorld *world, const char *path, RgError *error);

/* Completes the certificate; the file gets its name only now. Not RG_OK: the file could not be written completely. */
RG_API RgStatus rg_certificate_finish(RgCertificate *certificate, RgError *error);

/* Text of a certificate in memory, complete after rg_certificate_finish; NULL: it is written to a file. */
RG_API const char *rg_certificate_text(const RgCertificate *certificate, size_t *size);

/* Frees the certificate. An unfinished one leaves no file. */
RG_API void rg_certificate_destroy(RgCertificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
