#include "base/natural.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

void natural_add(uint64_t *to, const uint64_t *a, uint32_t len)
{
    wide carry = 0;
    for (uint32_t i = 0; i < len; i++) {
        carry += (wide)to[i] + a[i];
        to[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

void natural_add_shifted(uint64_t *to, uint32_t len, const uint64_t *a, uint32_t a_len,
                         uint32_t shift)
{
    const uint32_t words = shift / 64, bits = shift % 64;
    uint64_t before = 0;
    wide carry = 0;
    for (uint32_t i = words; i < len; i++) {
        const uint64_t here = i - words < a_len ? a[i - words] : 0;
        if (i - words > a_len && !carry) break;
        carry += (wide)to[i] + (here << bits | (bits ? before >> (64 - bits) : 0));
        to[i] = (uint64_t)carry;
        carry >>= 64;
        before = here;
    }
}

void natural_add_short(uint64_t *to, uint32_t len, const uint64_t *a, uint32_t a_len)
{
    wide carry = 0;
    for (uint32_t i = 0; i < len && (i < a_len || carry); i++) {
        carry += (wide)to[i] + (i < a_len ? a[i] : 0);
        to[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static uint32_t used_words(const struct natural *number)
{
    uint32_t len = number->len;
    while (len && !number->words[len - 1]) len--;
    return len;
}

/* Leaves `number` as it was when memory is refused. */
static bool make_room(struct mem *mem, struct natural *number, uint32_t len)
{
    if (len <= number->len) return true;
    uint64_t *words = mem_try_resize(mem, number->words, len * sizeof *words);
    if (!words) return false;
    memset(words + number->len, 0, (len - number->len) * sizeof *words);
    *number = (struct natural){words, len};
    return true;
}

bool natural_set(struct mem *mem, struct natural *number, uint64_t value)
{
    if (!make_room(mem, number, 1)) return false;
    memset(number->words, 0, number->len * sizeof *number->words);
    number->words[0] = value;
    return true;
}

bool natural_copy(struct mem *mem, struct natural *to, const struct natural *from)
{
    uint32_t len = used_words(from);
    if (!make_room(mem, to, len)) return false;
    if (len) memcpy(to->words, from->words, len * sizeof *to->words);
    for (uint32_t i = len; i < to->len; i++) to->words[i] = 0;
    return true;
}

bool natural_increase(struct mem *mem, struct natural *number, const struct natural *by)
{
    uint32_t a = used_words(number), b = used_words(by), most = a > b ? a : b;
    uint64_t top = most ? (a == most ? number->words[most - 1] >> 1 : 0)
                              + (b == most ? by->words[most - 1] >> 1 : 0)
                        : 0;
    if (!make_room(mem, number, most + (top >= INT64_MAX - 1)))
        return false; /* with the carries from below the sum may pass its words */
    natural_add_short(number->words, number->len, by->words, b);
    return true;
}

void natural_decrease(struct natural *number, const struct natural *by)
{
    uint32_t len = used_words(by);
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < number->len && (i < len || borrow); i++) {
        uint64_t less = i < len ? by->words[i] : 0, old = number->words[i];
        number->words[i] = old - less - borrow;
        borrow = old < less || (borrow && old == less);
    }
}

int natural_compare(const struct natural *a, const struct natural *b)
{
    uint32_t x = used_words(a), y = used_words(b);
    if (x != y) return x < y ? -1 : 1;
    for (uint32_t i = x; i-- > 0;)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

bool natural_fits(const struct natural *number, uint64_t *value)
{
    for (uint32_t i = 1; i < number->len; i++)
        if (number->words[i]) return false;
    *value = number->len ? number->words[0] : 0;
    return true;
}

char *natural_digits(struct mem *mem, const struct natural *number)
{
    enum { CHUNK = 19 }; /* decimal digits that one division gives */
    static const uint64_t base = UINT64_C(10000000000000000000);
    uint32_t len = number->len, chunks = 0,
             room = (uint32_t)((uint64_t)len * 64 * 30103 / 100000 / CHUNK + 2);
    uint64_t *rest = mem_try_alloc(mem, (len + 1) * sizeof *rest),
             *parts = mem_try_alloc(mem, room * sizeof *parts);
    char *digits = mem_try_alloc(mem, (size_t)room * CHUNK + 1);
    if (rest && parts && digits) {
        memcpy(rest, number->words, len * sizeof *rest);
        do {
            wide left = 0;
            for (uint32_t i = len; i-- > 0;) {
                left = left << 64 | rest[i];
                rest[i] = (uint64_t)(left / base);
                left %= base;
            }
            while (len && !rest[len - 1]) len--;
            parts[chunks++] = (uint64_t)left;
        } while (len);
        int at = sprintf(digits, "%" PRIu64, parts[chunks - 1]);
        for (uint32_t i = chunks - 1; i-- > 0;) at += sprintf(digits + at, "%019" PRIu64, parts[i]);
    } else {
        mem_free(mem, digits);
        digits = NULL;
    }
    mem_free(mem, rest);
    mem_free(mem, parts);
    return digits;
}

void natural_free(struct mem *mem, struct natural *number)
{
    mem_free(mem, number->words);
    *number = (struct natural){NULL, 0};
}
