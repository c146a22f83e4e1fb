/* test_codec_zlib.c - CRC-32 against published values and its definition; streams that Python's zlib packed, also cut
   off, changed, or with a wrong size announced. */
#define _DEFAULT_SOURCE

#include "record/codec_zlib.h"

#include "record_files.h"

Test(codec_zlib, crc_of_known_texts)
{
    cr_expect_eq(rg_crc32(0, "", 0), 0u);
    cr_expect_eq(rg_crc32(0, "123456789", 9), 0xcbf43926u, "the check value of CRC-32");
    cr_expect_eq(rg_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339u);
}

Test(codec_zlib, crc_by_parts_is_that_of_the_whole)
{
    const char text[] = "It was the best of times, it was the worst of times";
    uint32_t whole = rg_crc32(0, text, sizeof text);
    for (size_t i = 0; i <= sizeof text; i++)
        cr_expect_eq(rg_crc32(rg_crc32(0, text, i), text + i, sizeof text - i), whole);
    cr_expect_eq(rg_crc32(whole, NULL, 0), whole, "no bytes change nothing");
}

/* The polynomial division bit by bit. */
static uint32_t plain_crc(const unsigned char *data, size_t bytes)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

Test(codec_zlib, crc_is_the_division)
{
    unsigned char data[256];
    for (int i = 0; i < 256; i++)
        data[i] = (unsigned char)(i * 7 + i / 3);
    for (size_t i = 0; i <= sizeof data; i += 17)
        cr_expect_eq(rg_crc32(0, data, i), plain_crc(data, i));
}

/* ------------------------------------------------------------------ inflate */

enum { STREAMS = 16, ROOM = 1 << 19 };

/* Texts, noise, long runs and nothing, by every level and strategy, stored blocks and several blocks in a stream. */
static const char zlib_packs[] =
    "import sys, zlib, random\n"
    "random.seed(7)\n"
    "noise = bytes(random.randrange(256) for i in range(70000))\n"
    "text = b''.join(b'%d squared is %d\\n' % (i, i * i) for i in range(9000))\n"
    "skew = bytes(int(random.expovariate(0.1)) % 256 for i in range(100000))\n"
    "data = [b'', b'a', b'x' * 100000, noise, text, skew]\n"
    "n = 0\n"
    "def put(plain, packed):\n"
    "    global n\n"
    "    open(f'{sys.argv[1]}/{n}.plain', 'wb').write(plain)\n"
    "    open(f'{sys.argv[1]}/{n}.packed', 'wb').write(packed)\n"
    "    n += 1\n"
    "def pack(plain, level, strategy):\n"
    "    c = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)\n"
    "    return c.compress(plain) + c.flush()\n"
    "for d in data:\n"
    "    put(d, pack(d, 9, zlib.Z_DEFAULT_STRATEGY))\n"
    "for level, strategy in ((0, 0), (1, 0), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE)):\n"
    "    put(text, pack(text, level, strategy))\n"
    "    put(skew, pack(skew, level, strategy)) if n < 15 else None\n"
    "c = zlib.compressobj(6, zlib.DEFLATED, -15)\n"
    "put(text + noise, b''.join(c.compress(p) + c.flush(zlib.Z_FULL_FLUSH) for p in (text, noise)) + "
    "c.flush())\n";

static unsigned char plain[ROOM], packed[ROOM], again[ROOM];

static size_t load(const Folder *folder, int i, const char *ending, unsigned char *to)
{
    char name[32];
    snprintf(name, sizeof name, "%d.%s", i, ending);
    FilePath path = folder_file(folder, name);
    return file_read(path.text, (char *)to, ROOM);
}

static const char *unpack(const unsigned char *from, size_t bytes, uint64_t size, size_t *got)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSpan out = {NULL, 0};
    const char *wrong = rg_inflate((RgSpan){from, bytes}, size, &arena, &out);
    *got = wrong == NULL ? out.size : 0;
    if (wrong == NULL && out.size > 0)
        memcpy(again, out.data, out.size);
    rg_arena_free(&arena);
    return wrong;
}

Test(codec_zlib, gives_what_zlib_packed)
{
    need_python("zlib");
    Folder folder = folder_make();
    cr_assert(python_run(zlib_packs, folder.path));
    cr_assert_eq(folder_count(&folder), 2 * STREAMS);
    for (int i = 0; i < STREAMS; i++) {
        size_t size = load(&folder, i, "plain", plain), bytes = load(&folder, i, "packed", packed), got;
        cr_expect_null(unpack(packed, bytes, size, &got), "stream %d", i);
        cr_expect_eq(got, size, "stream %d", i);
        cr_expect_eq(memcmp(plain, again, size), 0, "stream %d", i);
        cr_expect_not_null(unpack(packed, bytes, size + 1, &got), "stream %d, one byte too many", i);
        cr_expect(size == 0 || unpack(packed, bytes, size - 1, &got) != NULL, "stream %d, one too few", i);
        cr_expect_not_null(unpack(packed, bytes - 1, size, &got), "stream %d, cut off", i);
    }
    folder_remove(&folder);
}

/* Any change of a bit is found, or gives other bytes of the same number; nothing runs wild. */
Test(codec_zlib, changed_bits_do_no_harm)
{
    need_python("zlib");
    Folder folder = folder_make();
    cr_assert(python_run(zlib_packs, folder.path));
    size_t size = load(&folder, 4, "plain", plain), bytes = load(&folder, 4, "packed", packed), got;
    int refused = 0;
    for (size_t bit = 0; bit < 2000; bit++) {
        packed[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        refused += unpack(packed, bytes, size, &got) != NULL;
        packed[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
    cr_expect_gt(refused, 1000);
    folder_remove(&folder);
}

Test(codec_zlib, impossible_streams_are_refused)
{
    static const struct {
        const char *what;
        unsigned char bytes[8];
        size_t size;
        uint64_t says;
    } bad[] = {{"no bytes", {0}, 0, 0},
               {"a kind of block that is none", {0x07}, 1, 0},
               {"a stored length whose twin is another", {0x01, 1, 0, 0, 0, 'a'}, 6, 1},
               {"a copy from before the start", {0x03, 0x02, 0x00}, 3, 3},
               {"a size that no stream could give", {0x03, 0x00}, 2, 1000000}};
    size_t got;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not_null(unpack(bad[i].bytes, bad[i].size, bad[i].says, &got), "%s", bad[i].what);
    cr_expect_null(unpack((const unsigned char[]){0x03, 0x00}, 2, 0, &got), "an empty block is sound");
}
