/* uri.h - finds the files that robot files name. */
#ifndef RIGOR_URI_H
#define RIGOR_URI_H

#include "scene/reader.h"

/*
 * The path of the file or folder that uri means in the file from: package://name/rest, model://name/rest, file://path,
 * or a plain path. The path is in the arena. NULL: it does not exist, or out of memory (the error is set).
 */
const char *rg_uri_find(RgReader *reader, const char *from, const char *uri);

#endif
