/*
 * zip_read.c - reads the members of a ZIP archive in memory (PKWARE APPNOTE 6.3.9: 4.3.7, 4.3.12, 4.3.14 to 4.3.16,
 * 4.5.3).
 *
 * The end record is searched from the end of the file backwards, over a comment of up to 64 KiB. It has the place of
 * the directory, directly or through the ZIP64 records. The directory has the place of every local header, after which
 * the data follow. A number that is all ones is in the ZIP64 extra field.
 *
 * Failure, with a text: places outside the file, members that together are longer than the file (they would share
 * bytes, and a small file could unpack to any size), encryption, methods other than stored and deflated, wrong
 * checksums.
 */
#include "record/zip_read.h"

#include "record/codec_zlib.h"

#define WIDE_32 UINT32_C(0xffffffff) /* in a field: the number is in the ZIP64 extra field */
#define WIDE_16 UINT32_C(0xffff)
#define END_SIZE 22       /* bytes of the end record without comment */
#define LOCATOR_SIZE 20   /* bytes */
#define COMMENT_MAX 65535 /* bytes: its length has 16 bits */
#define ENCRYPTED 1u      /* flag */
#define STORED 0          /* methods */
#define DEFLATED 8

static const char damaged[] = "the archive is damaged";

static RgCursor cursor_at(RgSpan file, uint64_t place)
{
    RgCursor c = rg_cursor(file.data, file.size);
    rg_cursor_bytes(&c, place);
    return c;
}

/* Finds the directory of an archive with ZIP64 records, whose locator precedes the end record. */
static bool find_zip64_directory(RgSpan file, size_t end, uint64_t *count, uint64_t *start)
{
    if (end < LOCATOR_SIZE)
        return false;
    RgCursor c = cursor_at(file, end - LOCATOR_SIZE);
    if (rg_cursor_uint(&c, 4) != 0x07064b50)
        return false;
    rg_cursor_uint(&c, 4);
    c = cursor_at(file, rg_cursor_uint(&c, 8));
    bool is_record = rg_cursor_uint(&c, 4) == 0x06064b50;
    rg_cursor_bytes(&c, 28);
    *count = rg_cursor_uint(&c, 8);
    rg_cursor_uint(&c, 8);
    *start = rg_cursor_uint(&c, 8);
    return is_record && !c.failed;
}

const char *rg_zip_open(RgZipReader *zip, const void *file, size_t size)
{
    *zip = (RgZipReader){.file = {file, size}, .bytes_left = size};
    if (size < END_SIZE)
        return "it is no ZIP archive";

    /* The last end record whose comment ends with the file. */
    size_t lowest = size - END_SIZE > COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
    size_t end = size - END_SIZE;
    const unsigned char *bytes = file;
    while (rg_read_uint(bytes + end, 4) != 0x06054b50 || rg_read_uint(bytes + end + 20, 2) != size - END_SIZE - end) {
        if (end == lowest)
            return "it is no ZIP archive";
        end--;
    }
    uint64_t start = rg_read_uint(bytes + end + 16, 4);
    zip->left = rg_read_uint(bytes + end + 10, 2);
    bool is_wide = zip->left == WIDE_16 || start == WIDE_32;
    if (is_wide && !find_zip64_directory(zip->file, end, &zip->left, &start))
        return damaged;
    zip->directory = cursor_at(zip->file, start);
    return zip->directory.failed ? damaged : NULL;
}

/* Replaces numbers that are all ones by those of the ZIP64 extra field, in the order size, packed size, place. */
static void read_wide_numbers(RgSpan extra, uint64_t *numbers[3])
{
    RgCursor c = rg_cursor(extra.data, extra.size);
    while (!c.failed && rg_cursor_left(&c) >= 4) {
        uint64_t id = rg_cursor_uint(&c, 2);
        RgSpan field = rg_cursor_bytes(&c, rg_cursor_uint(&c, 2));
        if (id != 1)
            continue;
        RgCursor f = rg_cursor(field.data, field.size);
        for (int i = 0; i < 3; i++)
            if (*numbers[i] == WIDE_32)
                *numbers[i] = rg_cursor_uint(&f, 8);
        return;
    }
}

/* Finds the data of a member, after its local header. */
static const char *find_data(const RgZipReader *zip, uint64_t place, uint64_t packed, RgSpan *data)
{
    RgCursor c = cursor_at(zip->file, place);
    bool is_header = rg_cursor_uint(&c, 4) == 0x04034b50;
    rg_cursor_bytes(&c, 22);
    uint64_t name = rg_cursor_uint(&c, 2), extra = rg_cursor_uint(&c, 2);
    rg_cursor_bytes(&c, name + extra);
    *data = rg_cursor_bytes(&c, packed);
    return is_header && !c.failed ? NULL : damaged;
}

/* Reads one header of the directory. */
static const char *read_entry(RgZipReader *zip, RgZipEntry *entry)
{
    RgCursor *c = &zip->directory;
    bool is_header = rg_cursor_uint(c, 4) == 0x02014b50;
    rg_cursor_bytes(c, 4);
    uint64_t flags = rg_cursor_uint(c, 2);
    entry->method = (int)rg_cursor_uint(c, 2);
    rg_cursor_bytes(c, 4);
    entry->crc = (uint32_t)rg_cursor_uint(c, 4);
    uint64_t packed = rg_cursor_uint(c, 4);
    entry->size = rg_cursor_uint(c, 4);
    uint64_t name = rg_cursor_uint(c, 2), extra = rg_cursor_uint(c, 2), comment = rg_cursor_uint(c, 2);
    rg_cursor_bytes(c, 8);
    uint64_t place = rg_cursor_uint(c, 4);
    entry->name = rg_cursor_bytes(c, name);
    RgSpan wide = rg_cursor_bytes(c, extra);
    rg_cursor_bytes(c, comment);
    if (!is_header || c->failed)
        return damaged;
    read_wide_numbers(wide, (uint64_t *[3]){&entry->size, &packed, &place});
    if ((flags & ENCRYPTED) != 0)
        return "a member is encrypted";
    if (packed > zip->bytes_left)
        return damaged;
    zip->bytes_left -= packed;
    return find_data(zip, place, packed, &entry->data);
}

bool rg_zip_next(RgZipReader *zip, RgZipEntry *entry, const char **wrong)
{
    *wrong = NULL;
    if (zip->left == 0)
        return false;
    zip->left--;
    *wrong = read_entry(zip, entry);
    return true;
}

const char *rg_zip_bytes(const RgZipEntry *entry, RgArena *arena, RgSpan *out)
{
    const char *wrong = NULL;
    *out = entry->data;
    if (entry->method == DEFLATED)
        wrong = rg_inflate(entry->data, entry->size, arena, out);
    else if (entry->method != STORED)
        wrong = "it is packed by a method other than deflate";
    if (wrong != NULL)
        return wrong;
    return out->size == entry->size && rg_crc32(0, out->data, out->size) == entry->crc
               ? NULL
               : "it is damaged: its checksum is another";
}
