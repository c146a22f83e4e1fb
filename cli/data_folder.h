/* data_folder.h - where the project's own files (models, experiments) are. */
#ifndef RIGOR_DATA_FOLDER_H
#define RIGOR_DATA_FOLDER_H

#include "pool.h"

/* The folder with `inside` in it: that of the variable RIGOR_DATA, share/rigor beside the command's bin, the source tree
   it was built from. NULL: none has it. */
const char *rg_data_folder(RgPool *pool, const char *inside);

/* Path of the running command; NULL: not known. */
const char *rg_command_path(RgPool *pool);

#endif
