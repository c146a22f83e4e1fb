/*
 * certificate.h - what a stepper that locates events did, written down so that somebody else can check it.
 *
 *   RgCertificate *c = rg_certificate_begin(world, "run.cert", &error);
 *   ... rg_world_step(world, h, &report) ...
 *   rg_certificate_finish(c, &error);
 *   rg_certificate_destroy(c);
 *
 * The file holds the shapes, who may touch whom, and for every inner step the path of every body, the bound, the pair
 * that decided and the events: docs/certificate.md. rigor/verify.h checks it.
 */
#ifndef RIGOR_CERTIFICATE_H
#define RIGOR_CERTIFICATE_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgCertificate RgCertificate;

/* Writes down every step of the world from now on; path NULL: into memory. The world must outlive it, and has one at a
   time. NULL: error (may be NULL) says why. RG_ERR_UNSUPPORTED: the world's stepper makes no steps of its own. */
RG_API RgCertificate *rg_certificate_begin(RgWorld *world, const char *path, RgError *error);

/* Ends it; only then the file stands under its name. Not RG_OK: it could not be written whole. */
RG_API RgStatus rg_certificate_finish(RgCertificate *certificate, RgError *error);

/* The text of one in memory, whole once it is finished; NULL: it is in a file. */
RG_API const char *rg_certificate_text(const RgCertificate *certificate, size_t *size);

/* One that was not finished leaves no file. */
RG_API void rg_certificate_destroy(RgCertificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
