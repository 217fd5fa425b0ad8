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

void natural_add_shifted(uint64_t *to, const uint64_t *a, uint32_t shift, uint32_t len)
{
    uint32_t words = shift / 64, bits = shift % 64;
    wide carry = 0;
    for (uint32_t i = words; i < len; i++) {
        uint64_t low = a[i - words] << bits, high = bits && i > words ? a[i - words - 1] >> (64 - bits) : 0;
        carry += (wide)to[i] + (low | high);
        to[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

void natural_add_product(uint64_t *to, const uint64_t *a, const uint64_t *b, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        uint64_t carry = 0;
        if (!a[i]) continue;
        for (uint32_t j = 0; i + j < len; j++) {
            wide sum = (wide)a[i] * b[j] + to[i + j] + carry;
            to[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
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
    uint32_t len = number->len, chunks = 0, room = (uint32_t)((uint64_t)len * 64 * 30103 / 100000 / CHUNK + 2);
    uint64_t *rest = mem_try_alloc(mem, (len + 1) * sizeof *rest), *parts = mem_try_alloc(mem, room * sizeof *parts);
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
