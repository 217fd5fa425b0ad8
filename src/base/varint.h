/* Natural numbers as bytes, seven bits in each, the lowest first; the highest bit says that more
 * follow. */
#ifndef CAIRN_BASE_VARINT_H
#define CAIRN_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_BYTES = 10 }; /* at most */

/* Writes at bytes[at]. Returns where the next one goes. */
static inline uint64_t varint_put(unsigned char *bytes, uint64_t at, uint64_t number)
{
    for (; number >= 128; number >>= 7) bytes[at++] = (unsigned char)(number | 128);
    bytes[at] = (unsigned char)number;
    return at + 1;
}

struct varint_input {
    const unsigned char *at, *end;
    bool good; /* false once something was read that is not there */
};

static inline uint64_t varint_get(struct varint_input *input)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && input->at < input->end; shift += 7) {
        unsigned char byte = *input->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return number;
    }
    input->good = false;
    return 0;
}

#endif
