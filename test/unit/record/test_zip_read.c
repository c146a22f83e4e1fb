/* test_zip_read.c - archives of zip_store.c and of Python read back; cut off or changed anywhere they do no harm. */
#define _GNU_SOURCE

#include "record/zip_read.h"

#include "record/zip_store.h"
#include "record_files.h"

enum { ROOM = 1 << 16 };

static unsigned char bytes[ROOM];

/* Two members; numbers from zip64_from on as ZIP64. */
static size_t make_archive(const char *path, uint64_t zip64_from)
{
    FILE *file = fopen(path, "w+b");
    cr_assert_not_null(file);
    RgZip zip;
    RgZipMember members[2];
    rg_zip_begin(&zip, file, members, 2);
    if (zip64_from > 0)
        zip.zip64_from = zip64_from;
    rg_zip_member_begin(&zip, "f\xc3\xbc\xc3\x9f", 5);
    rg_zip_write(&zip, "hello", 5);
    rg_zip_member_end(&zip);
    rg_zip_member_begin(&zip, "empty", 0);
    rg_zip_member_end(&zip);
    cr_assert(rg_zip_finish(&zip));
    cr_assert_eq(fclose(file), 0);
    return file_read(path, (char *)bytes, ROOM);
}

/* Members that can be read, -1 where something is wrong. */
static int count_members(size_t size)
{
    RgZipReader zip;
    RgArena arena;
    int count = 0;
    const char *wrong = rg_zip_open(&zip, bytes, size);
    rg_arena_init(&arena, NULL);
    for (RgZipEntry entry; wrong == NULL && rg_zip_next(&zip, &entry, &wrong) && wrong == NULL; count++) {
        RgSpan data;
        wrong = rg_zip_bytes(&entry, &arena, &data);
        for (size_t i = 0; wrong == NULL && i < data.size; i++)
            wrong = data.data[i] == 0xff ? "no byte of ours" : NULL;
    }
    rg_arena_free(&arena);
    return wrong == NULL ? count : -1;
}

Test(zip_read, what_zip_store_writes)
{
    const uint64_t border[] = {0, 1, 30, 60};
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.zip");
    for (size_t i = 0; i < sizeof border / sizeof border[0]; i++) {
        size_t size = make_archive(path.text, border[i]);
        RgZipReader zip;
        RgZipEntry entry;
        const char *wrong = rg_zip_open(&zip, bytes, size);
        cr_assert_null(wrong, "%s", wrong);
        cr_assert(rg_zip_next(&zip, &entry, &wrong) && wrong == NULL);
        cr_expect(rg_span_is(entry.name, "f\xc3\xbc\xc3\x9f"));
        cr_expect(rg_span_is(entry.data, "hello") && entry.size == 5 && entry.method == 0);
        cr_assert(rg_zip_next(&zip, &entry, &wrong) && wrong == NULL);
        cr_expect(rg_span_is(entry.name, "empty") && entry.size == 0);
        cr_expect_not(rg_zip_next(&zip, &entry, &wrong));
        cr_expect_eq(count_members(size), 2);
    }
    folder_remove(&folder);
}

/* Packed and stored members, a comment behind the end, encryption that is refused. */
static const char python_packs[] = "import sys, zipfile\n"
                                   "z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n"
                                   "z.writestr('a', b'abc' * 1000)\n"
                                   "z.writestr('b', b'')\n"
                                   "z.writestr('c', b'plain', compress_type=zipfile.ZIP_STORED)\n"
                                   "z.comment = b'PK\\x05\\x06' + b'a long comment' * 100\n"
                                   "z.close()\n";

Test(zip_read, what_python_writes)
{
    need_python("zipfile");
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.zip");
    cr_assert(python_run(python_packs, path.text));
    cr_expect_eq(count_members(file_read(path.text, (char *)bytes, ROOM)), 3);
    folder_remove(&folder);
}

/* Every shorter file and every changed byte: read as far as it is sound, or refused. */
Test(zip_read, damage_is_found)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.zip");
    for (uint64_t border = 0; border < 2; border++) {
        size_t size = make_archive(path.text, border);
        for (size_t cut = 0; cut < size; cut++)
            cr_expect_eq(count_members(cut), -1, "cut at %zu", cut);
        for (size_t i = 0; i < size; i++)
            for (int bit = 0; bit < 8; bit++) {
                bytes[i] ^= (unsigned char)(1u << bit);
                count_members(size);
                bytes[i] ^= (unsigned char)(1u << bit);
            }
        unsigned char *hello = memmem(bytes, size, "hello", 5);
        cr_assert_not_null(hello);
        hello[1] ^= 4;
        cr_expect_eq(count_members(size), -1, "its checksum is another");
    }
    folder_remove(&folder);
}

/* Two entries of the directory for the same bytes would make small files grow. */
Test(zip_read, members_do_not_share_bytes)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.zip");
    FILE *file = fopen(path.text, "w+b");
    cr_assert_not_null(file);
    RgZip zip;
    RgZipMember members[2];
    char data[600] = {0};
    rg_zip_begin(&zip, file, members, 2);
    for (int i = 0; i < 2; i++) {
        rg_zip_member_begin(&zip, i == 0 ? "a" : "b", i == 0 ? sizeof data : 0);
        rg_zip_write(&zip, data, i == 0 ? sizeof data : 0);
        rg_zip_member_end(&zip);
    }
    members[1] = members[0];
    cr_assert(rg_zip_finish(&zip));
    cr_assert_eq(fclose(file), 0);
    cr_expect_eq(count_members(file_read(path.text, (char *)bytes, ROOM)), -1);
    folder_remove(&folder);
}
