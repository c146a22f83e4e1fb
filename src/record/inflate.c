/*
 * inflate.c - unpacks what deflate has packed (RFC 1951).
 *
 * The stream is a row of blocks, each with two bits for its kind: bytes as they are, or symbols of a Huffman code that
 * is fixed or stands before them, packed by a third code. A symbol below 256 is a byte; 256 ends the block; those above
 * are lengths of copies from what is already there, followed by a symbol for how far back. Lengths and distances come
 * in classes with extra bits.
 *
 * The codes are canonical: codes of one length are consecutive numbers in the order of their symbols, so that how many
 * there are of each length says all. A code is read bit by bit, from its first, until it is below the end of the
 * numbers of its length.
 *
 * Failure: a stream that ends too early, that would give more or fewer bytes than announced, codes that cannot be,
 * copies from before the start. Deflate cannot make more than 1032 bytes of one, so that a false size takes no memory.
 */
#include "record/inflate.h"

enum {
    LONGEST = 15, /* bits of a code */
    LITERALS = 288,
    DISTANCES = 32,
    BLOCK_END = 256,
    CODE_LENGTHS = 19,
    RATIO_MAX = 1032,
    RATIO_SLACK = 1032
};

typedef struct Bits {
    RgCursor bytes;
    uint32_t held; /* bits that are taken from the bytes, the next one lowest */
    int count;
} Bits;

typedef struct Code {
    uint16_t count[LONGEST + 1]; /* codes of each length */
    uint16_t symbols[LITERALS];  /* in the order of their codes */
} Code;

typedef struct Unpacker {
    Bits bits;
    unsigned char *out;
    size_t used, size;
} Unpacker;

static const char damaged[] = "it is damaged: it cannot be unpacked";

/* ------------------------------------------------------------------ bits and codes */

static uint32_t take_bits(Bits *b, int count)
{
    while (b->count < count) {
        b->held |= (uint32_t)rg_take_uint(&b->bytes, 1) << b->count;
        b->count += 8;
    }
    uint32_t value = b->held & ((UINT32_C(1) << count) - 1);
    b->held >>= count;
    b->count -= count;
    return value;
}

/* The code whose symbols have these lengths; false: there are more codes of some length than fit. */
static bool make_code(const unsigned char *lengths, int symbols, Code *code)
{
    memset(code, 0, sizeof *code);
    for (int i = 0; i < symbols; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    int32_t room = 1;
    uint16_t place[LONGEST + 1] = {0};
    for (int length = 1; length <= LONGEST; length++) {
        room = 2 * room - code->count[length];
        if (room < 0)
            return false;
        place[length] = (uint16_t)(place[length - 1] + code->count[length - 1]);
    }
    for (int i = 0; i < symbols; i++)
        if (lengths[i] > 0)
            code->symbols[place[lengths[i]]++] = (uint16_t)i;
    return true;
}

/* The next symbol; -1: the bits are no code. */
static int take_symbol(Bits *b, const Code *code)
{
    int32_t number = 0, first = 0, before = 0;
    for (int length = 1; length <= LONGEST; length++) {
        int32_t count = code->count[length];
        number = 2 * number + (int32_t)take_bits(b, 1);
        first = 2 * first;
        if (number - first < count)
            return code->symbols[before + number - first];
        first += count;
        before += count;
    }
    return -1;
}

/* ------------------------------------------------------------------ blocks */

static const char *copy_stored(Unpacker *u)
{
    /* From the next whole byte: its length, the same with all bits turned, the bytes. */
    u->bits.held = 0;
    u->bits.count = 0;
    uint64_t length = rg_take_uint(&u->bits.bytes, 2), turned = rg_take_uint(&u->bits.bytes, 2);
    RgSpan bytes = rg_take_bytes(&u->bits.bytes, length);
    if (u->bits.bytes.failed || (length ^ turned) != 0xffff || length > u->size - u->used)
        return damaged;
    if (length > 0)
        memcpy(u->out + u->used, bytes.data, bytes.size);
    u->used += bytes.size;
    return NULL;
}

/* A length or distance: its class begins at base, and so many more bits say where in it. */
static uint32_t take_number(Bits *b, int symbol, const uint16_t *base, const unsigned char *extra)
{
    return base[symbol] + take_bits(b, extra[symbol]);
}

/* A copy from what is already there; it may reach into itself. */
static const char *copy_back(Unpacker *u, int symbol, const Code *distances)
{
    static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                             33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                             1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const unsigned char distance_extra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                   6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    symbol -= BLOCK_END + 1;
    if (symbol >= (int)sizeof length_extra)
        return damaged;
    size_t length = take_number(&u->bits, symbol, length_base, length_extra);
    int far = take_symbol(&u->bits, distances);
    if (far < 0 || far >= (int)sizeof distance_extra)
        return damaged;
    size_t distance = take_number(&u->bits, far, distance_base, distance_extra);
    if (u->bits.bytes.failed || distance > u->used || length > u->size - u->used)
        return damaged;
    for (size_t i = 0; i < length; i++, u->used++)
        u->out[u->used] = u->out[u->used - distance];
    return NULL;
}

static const char *unpack_symbols(Unpacker *u, const Code *literals, const Code *distances)
{
    for (;;) {
        int symbol = take_symbol(&u->bits, literals);
        if (symbol < 0 || u->bits.bytes.failed)
            return damaged;
        if (symbol == BLOCK_END)
            return NULL;
        if (symbol > BLOCK_END) {
            const char *wrong = copy_back(u, symbol, distances);
            if (wrong != NULL)
                return wrong;
            continue;
        }
        if (u->used == u->size)
            return damaged;
        u->out[u->used++] = (unsigned char)symbol;
    }
}

static const char *unpack_fixed(Unpacker *u)
{
    unsigned char lengths[LITERALS], far[DISTANCES];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(far, 5, sizeof far);
    Code literals, distances;
    make_code(lengths, LITERALS, &literals);
    make_code(far, DISTANCES, &distances);
    return unpack_symbols(u, &literals, &distances);
}

/* Lengths of the codes, themselves as symbols: 0 ... 15 a length; 16 the last one 3 ... 6 times more; 17, 18 many
   zeros. */
static bool take_lengths(Bits *b, const Code *code, unsigned char *lengths, int count)
{
    static const struct {
        int bits, least;
    } repeats[] = {{2, 3}, {3, 3}, {7, 11}};
    for (int i = 0; i < count;) {
        int symbol = take_symbol(b, code);
        if (symbol < 0 || b->bytes.failed || (symbol == 16 && i == 0))
            return false;
        if (symbol < 16) {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        int times = repeats[symbol - 16].least + (int)take_bits(b, repeats[symbol - 16].bits);
        if (times > count - i)
            return false;
        memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, (size_t)times);
        i += times;
    }
    return true;
}

static const char *unpack_dynamic(Unpacker *u)
{
    static const unsigned char order[CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    Bits *b = &u->bits;
    int nliterals = (int)take_bits(b, 5) + 257, ndistances = (int)take_bits(b, 5) + 1;
    int ncodes = (int)take_bits(b, 4) + 4;
    unsigned char first[CODE_LENGTHS] = {0}, lengths[LITERALS + DISTANCES] = {0};
    for (int i = 0; i < ncodes; i++)
        first[order[i]] = (unsigned char)take_bits(b, 3);
    Code code, literals, distances;
    if (nliterals > LITERALS || !make_code(first, CODE_LENGTHS, &code) ||
        !take_lengths(b, &code, lengths, nliterals + ndistances) || !make_code(lengths, nliterals, &literals) ||
        !make_code(lengths + nliterals, ndistances, &distances))
        return damaged;
    return unpack_symbols(u, &literals, &distances);
}

const char *rg_inflate(RgSpan packed, uint64_t size, RgArena *arena, RgSpan *out)
{
    if (size > (uint64_t)packed.size * RATIO_MAX + RATIO_SLACK)
        return damaged;
    Unpacker u = {.bits = {.bytes = rg_cursor(packed.data, packed.size)}, .size = (size_t)size};
    u.out = RG_TAKE_RAW(arena, unsigned char, u.size);
    if (u.out == NULL)
        return "out of memory";
    for (bool last = false; !last;) {
        last = take_bits(&u.bits, 1) == 1;
        uint32_t kind = take_bits(&u.bits, 2);
        const char *wrong = kind == 0   ? copy_stored(&u)
                            : kind == 1 ? unpack_fixed(&u)
                            : kind == 2 ? unpack_dynamic(&u)
                                        : damaged;
        if (wrong != NULL)
            return wrong;
    }
    *out = (RgSpan){u.out, u.used};
    return u.used == u.size && !u.bits.bytes.failed ? NULL : damaged;
}
