/* Natural numbers of any size, for exact counts. */
#ifndef CAIRN_BASE_NATURAL_H
#define CAIRN_BASE_NATURAL_H

#include "base/mem.h"

struct natural {
    uint64_t *words; /* least significant first */
    uint32_t len;
};

/* Arithmetic on words of one length: nothing is allocated, and what does not fit is lost, so the
 * caller makes room. */
void natural_add(uint64_t *to, const uint64_t *a, uint32_t len);
/* to += a * 2^shift */
void natural_add_shifted(uint64_t *to, uint32_t len, const uint64_t *a, uint32_t a_len,
                         uint32_t shift);

/* to += a, where a may be shorter; what does not fit is lost. */
void natural_add_short(uint64_t *to, uint32_t len, const uint64_t *a, uint32_t a_len);

/* Numbers that own their words. False when memory is refused; the number is unchanged then. */
bool natural_set(struct mem *mem, struct natural *number, uint64_t value);
bool natural_copy(struct mem *mem, struct natural *to, const struct natural *from);
bool natural_increase(struct mem *mem, struct natural *number,
                      const struct natural *by);                         /* grows as needed */
void natural_decrease(struct natural *number, const struct natural *by); /* by must not be larger */
int natural_compare(const struct natural *a, const struct natural *b);   /* -1, 0, 1 */

bool natural_fits(const struct natural *number, uint64_t *value); /* into 64 bits */
/* Decimal digits in a block of mem; NULL when memory is refused. */
char *natural_digits(struct mem *mem, const struct natural *number);
void natural_free(struct mem *mem, struct natural *number);

#endif
