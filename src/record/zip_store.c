/*
 * zip_store.c - writes a ZIP archive of stored members (PKWARE APPNOTE 6.3.9: 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3).
 *
 *   member:    local header | data          for every member
 *   directory: central header               for every member
 *   end:       [ZIP64 end record | locator] end record
 *
 * A number that does not fit its 16- or 32-bit field is written as all ones there and in full in the ZIP64 extra field
 * (id 1). The checksum is CRC-32.
 *
 * Failure: a write or seek fails, a member has another size than announced, too many members, a name that is too long.
 * The archive is then unusable, and rg_zip_finish returns false.
 */
#define _POSIX_C_SOURCE 200809L

#include "record/zip_store.h"

#include "record/codec_zlib.h"

#include <string.h>

#define WIDE_32 UINT32_C(0xffffffff) /* in a 32-bit field: the number is in the ZIP64 fields */
#define VERSION_PLAIN 20             /* needed to extract: 2.0 */
#define VERSION_ZIP64 45             /* needed to extract: 4.5 */
#define MADE_BY_UNIX (3u << 8)
#define DATE_1980_01_01 0x21                /* date of MS-DOS */
#define MODE_0644 (UINT32_C(0100644) << 16) /* Unix mode of a regular file */
#define NAME_IS_UTF8 (1u << 11)             /* a flag */
#define WIDE_16 UINT32_C(0xffff)
#define NAME_LONGEST 65535 /* bytes: its length has 16 bits */
#define CRC_PLACE 14       /* offset of the checksum in a local header */

/* A record under construction: little-endian fields of 2, 4 and 8 bytes. */
typedef struct Record {
    unsigned char bytes[128];
    size_t size;
} Record;

static void put(Record *record, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        record->bytes[record->size++] = (unsigned char)(value >> (8 * i));
}

static void write_bytes(RgZip *zip, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, zip->file) != bytes)
        zip->failed = true;
    zip->at += bytes;
}

static bool is_wide(const RgZip *zip, uint64_t value)
{
    return value >= zip->zip64_from;
}

void rg_zip_begin(RgZip *zip, FILE *file, RgZipMember *members, int room)
{
    memset(zip, 0, sizeof *zip);
    zip->file = file;
    zip->members = members;
    zip->room = room;
    zip->zip64_from = WIDE_32;
}

/* Flags of a member: NAME_IS_UTF8 if the name is not ASCII. */
static uint64_t member_flags(const RgZipMember *member)
{
    for (const char *at = member->name; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            return NAME_IS_UTF8;
    return 0;
}

/* The fields that local and central headers share: flags, method (stored), time, date, checksum, sizes, length of the
   name. */
static void put_shared(Record *record, const RgZip *zip, const RgZipMember *member)
{
    uint64_t size = is_wide(zip, member->size) ? WIDE_32 : member->size;
    put(record, member_flags(member), 2);
    put(record, 0, 2);
    put(record, 0, 2);
    put(record, DATE_1980_01_01, 2);
    put(record, member->crc, 4);
    put(record, size, 4);
    put(record, size, 4);
    put(record, strlen(member->name), 2);
}

void rg_zip_member_begin(RgZip *zip, const char *name, uint64_t size)
{
    if (zip->count == zip->room || strlen(name) > NAME_LONGEST) {
        zip->failed = true;
        return;
    }
    RgZipMember *member = &zip->members[zip->count++];
    *member = (RgZipMember){.name = name, .size = size, .offset = zip->at};
    zip->left = size;

    /* Local header, name, and the ZIP64 sizes if needed. */
    bool wide = is_wide(zip, size);
    Record head = {.size = 0}, extra = {.size = 0};
    put(&head, 0x04034b50, 4);
    put(&head, wide ? VERSION_ZIP64 : VERSION_PLAIN, 2);
    put_shared(&head, zip, member);
    put(&head, wide ? 20 : 0, 2);
    write_bytes(zip, head.bytes, head.size);
    write_bytes(zip, name, strlen(name));
    if (wide) {
        put(&extra, 1, 2);
        put(&extra, 16, 2);
        put(&extra, size, 8);
        put(&extra, size, 8);
        write_bytes(zip, extra.bytes, extra.size);
    }
}

void rg_zip_write(RgZip *zip, const void *data, size_t bytes)
{
    if (zip->failed || zip->count == 0 || bytes > zip->left) {
        zip->failed = true;
        return;
    }
    RgZipMember *member = &zip->members[zip->count - 1];
    member->crc = rg_crc32(member->crc, data, bytes);
    zip->left -= bytes;
    write_bytes(zip, data, bytes);
}

void rg_zip_member_end(RgZip *zip)
{
    if (zip->count == 0 || zip->left != 0) {
        zip->failed = true;
        return;
    }
    RgZipMember *member = &zip->members[zip->count - 1];

    /* Write the checksum to the header, and return to the end. */
    Record crc = {.size = 0};
    put(&crc, member->crc, 4);
    if (fseeko(zip->file, (off_t)(member->offset + CRC_PLACE), SEEK_SET) != 0 ||
        fwrite(crc.bytes, 1, crc.size, zip->file) != crc.size || fseeko(zip->file, (off_t)zip->at, SEEK_SET) != 0)
        zip->failed = true;
}

static void write_central_header(RgZip *zip, const RgZipMember *member)
{
    bool wide_size = is_wide(zip, member->size), wide_offset = is_wide(zip, member->offset);
    Record head = {.size = 0}, extra = {.size = 0};
    if (wide_size || wide_offset) {
        put(&extra, 1, 2);
        put(&extra, (wide_size ? 16u : 0u) + (wide_offset ? 8u : 0u), 2);
    }
    if (wide_size) {
        put(&extra, member->size, 8);
        put(&extra, member->size, 8);
    }
    if (wide_offset)
        put(&extra, member->offset, 8);

    uint64_t version = extra.size > 0 ? VERSION_ZIP64 : VERSION_PLAIN;
    put(&head, 0x02014b50, 4);
    put(&head, version | MADE_BY_UNIX, 2);
    put(&head, version, 2);
    put_shared(&head, zip, member);
    put(&head, extra.size, 2);
    put(&head, 0, 2); /* comment */
    put(&head, 0, 2); /* disk */
    put(&head, 0, 2); /* internal attributes */
    put(&head, MODE_0644, 4);
    put(&head, wide_offset ? WIDE_32 : member->offset, 4);
    write_bytes(zip, head.bytes, head.size);
    write_bytes(zip, member->name, strlen(member->name));
    write_bytes(zip, extra.bytes, extra.size);
}

/* ZIP64 end record and its locator. */
static void write_zip64_end(RgZip *zip, uint64_t start, uint64_t size)
{
    Record end = {.size = 0};
    uint64_t record_place = zip->at, count = (uint64_t)zip->count;
    put(&end, 0x06064b50, 4);
    put(&end, 44, 8);
    put(&end, VERSION_ZIP64 | MADE_BY_UNIX, 2);
    put(&end, VERSION_ZIP64, 2);
    put(&end, 0, 4);
    put(&end, 0, 4);
    put(&end, count, 8);
    put(&end, count, 8);
    put(&end, size, 8);
    put(&end, start, 8);
    put(&end, 0x07064b50, 4);
    put(&end, 0, 4);
    put(&end, record_place, 8);
    put(&end, 1, 4);
    write_bytes(zip, end.bytes, end.size);
}

bool rg_zip_finish(RgZip *zip)
{
    uint64_t start = zip->at, count = (uint64_t)zip->count;
    for (int i = 0; i < zip->count; i++)
        write_central_header(zip, &zip->members[i]);
    uint64_t size = zip->at - start;
    bool wide = is_wide(zip, start) || is_wide(zip, size) || count >= WIDE_16;
    if (wide)
        write_zip64_end(zip, start, size);

    Record end = {.size = 0};
    put(&end, 0x06054b50, 4);
    put(&end, 0, 4);
    put(&end, count < WIDE_16 ? count : WIDE_16, 2);
    put(&end, count < WIDE_16 ? count : WIDE_16, 2);
    put(&end, is_wide(zip, size) ? WIDE_32 : size, 4);
    put(&end, is_wide(zip, start) ? WIDE_32 : start, 4);
    put(&end, 0, 2);
    write_bytes(zip, end.bytes, end.size);
    return !zip->failed;
}
