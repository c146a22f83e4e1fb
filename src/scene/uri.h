/* uri.h - from the names that robot files give to places on the disk. */
#ifndef RIGOR_URI_H
#define RIGOR_URI_H

#include "scene/reader.h"

/*
 * The path of the file or folder that uri means when it stands in the file from: package://name/rest,
 * model://name/rest, file://path, or a plain path. In the arena; NULL if there is none (or memory is out: the
 * error is set).
 */
const char *rg_uri_find(RgReader *reader, const char *from, const char *uri);

#endif
