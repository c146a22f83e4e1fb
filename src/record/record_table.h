/* record_table.h - the list of file formats. Each has one entry, rg_record_<format>, at the end of its file. */
#ifndef RIGOR_RECORD_TABLE_H
#define RIGOR_RECORD_TABLE_H

#include "record/record.h"

#define RG_RECORD_LIST(X) X(npz) X(csv) X(mcap)

#define RG_RECORD_DECLARE(name) extern const RgRecordFormat rg_record_##name;
RG_RECORD_LIST(RG_RECORD_DECLARE)
#undef RG_RECORD_DECLARE

#endif
