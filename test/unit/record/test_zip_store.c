/* test_zip_store.c - archives of stored members, judged by Python's zipfile. */
#define _DEFAULT_SOURCE

#include "record/zip_store.h"

#include "record_files.h"

enum { ROOM = 4 };

/* The check value of CRC-32 (Koopman's and everyone's list): the nine digits give cbf43926. */
Test(zip_store, checksum_of_the_nine_digits)
{
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    RgZip zip;
    RgZipMember members[ROOM];
    rg_zip_begin(&zip, file, members, ROOM);
    rg_zip_member_begin(&zip, "digits", 9);
    rg_zip_write(&zip, "1234", 4);
    rg_zip_write(&zip, "56789", 5);
    rg_zip_member_end(&zip);
    cr_expect(rg_zip_finish(&zip));
    cr_expect_eq(zip.members[0].crc, 0xcbf43926u);
    fclose(file);
}

/* Three members, one empty: a text, nothing, and 1000 bytes i mod 251. Numbers from zip64_from on are written
   as ZIP64. */
static void write_three(const char *path, uint64_t zip64_from)
{
    FILE *file = fopen(path, "w+b");
    cr_assert_not_null(file);
    RgZip zip;
    RgZipMember members[ROOM];
    rg_zip_begin(&zip, file, members, ROOM);
    if (zip64_from != 0)
        zip.zip64_from = zip64_from;
    rg_zip_member_begin(&zip, "text", 5);
    rg_zip_write(&zip, "hello", 5);
    rg_zip_member_end(&zip);
    rg_zip_member_begin(&zip, "empty", 0);
    rg_zip_member_end(&zip);
    rg_zip_member_begin(&zip, "bytes", 1000);
    for (int i = 0; i < 1000; i++) {
        unsigned char byte = (unsigned char)(i % 251);
        rg_zip_write(&zip, &byte, 1);
    }
    rg_zip_member_end(&zip);
    cr_expect(rg_zip_finish(&zip));
    cr_expect_eq(fclose(file), 0);
}

static const char read_three[] = "import sys, zipfile\n"
                                 "z = zipfile.ZipFile(sys.argv[1])\n"
                                 "assert z.testzip() is None\n"
                                 "assert z.namelist() == ['text', 'empty', 'bytes'], z.namelist()\n"
                                 "assert z.read('text') == b'hello' and z.read('empty') == b''\n"
                                 "assert z.read('bytes') == bytes(i % 251 for i in range(1000))\n";

Test(zip_store, python_reads_it)
{
    need_python("zipfile");
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.zip");
    write_three(path.text, 0);
    cr_expect(python_run(read_three, path.text));
    folder_remove(&folder);
}

/* The border of 4 GiB put lower, so that sizes, offsets, directory or all of them pass it. */
Test(zip_store, python_reads_zip64)
{
    need_python("zipfile");
    const uint64_t border[] = {1, 60, 500, 1050};
    for (size_t i = 0; i < sizeof border / sizeof border[0]; i++) {
        Folder folder = folder_make();
        FilePath path = folder_file(&folder, "a.zip");
        write_three(path.text, border[i]);
        cr_expect(python_run(read_three, path.text), "border %d", (int)border[i]);
        folder_remove(&folder);
    }
}

Test(zip_store, wrong_lengths_are_found)
{
    RgZip zip;
    RgZipMember members[ROOM];
    for (int written = 0; written <= 3; written++) {
        FILE *file = tmpfile();
        cr_assert_not_null(file);
        rg_zip_begin(&zip, file, members, ROOM);
        rg_zip_member_begin(&zip, "two", 2);
        for (int i = 0; i < written; i++)
            rg_zip_write(&zip, "x", 1);
        rg_zip_member_end(&zip);
        cr_expect_eq(rg_zip_finish(&zip), written == 2, "%d bytes of 2", written);
        fclose(file);
    }
}

Test(zip_store, too_many_members_are_found)
{
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    RgZip zip;
    RgZipMember members[ROOM];
    rg_zip_begin(&zip, file, members, ROOM);
    for (int i = 0; i <= ROOM; i++) {
        rg_zip_member_begin(&zip, "m", 0);
        rg_zip_member_end(&zip);
    }
    cr_expect_not(rg_zip_finish(&zip));
    fclose(file);
}

Test(zip_store, full_disk_is_found)
{
    FILE *file = fopen("/dev/full", "r+b");
    if (file == NULL)
        cr_skip_test("there is no /dev/full");
    setvbuf(file, NULL, _IONBF, 0);
    RgZip zip;
    RgZipMember members[ROOM];
    rg_zip_begin(&zip, file, members, ROOM);
    rg_zip_member_begin(&zip, "m", 1);
    rg_zip_write(&zip, "x", 1);
    rg_zip_member_end(&zip);
    cr_expect_not(rg_zip_finish(&zip));
    fclose(file);
}
