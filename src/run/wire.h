/* The one written form of a result with its evidence: what processes tell each other through pipes
 * and sockets, and what is kept in files. Versioned, with a checksum; a message that is damaged,
 * cut off, of another version or of another run is not read at all.
 *
 *   cairn result VERSION IDENTITY LENGTH   a head of always the same length; IDENTITY has 32 hex
 *                                          digits, LENGTH (of the body) 16
 *   NAME VALUE ...                         the body: one line per row of the tables
 *                                          (result/tables.h), in their order
 *   check SUM                              of all that is before it: 32 hex digits
 *
 * Numbers are decimal, reals exact (%a); a text is its length, a colon and its bytes; "-" is what
 * is not there; a list is its length and its elements, whose rows have no names; a struct is "{",
 * its lines, "}".
 *
 *  1. What is read is what was written, bit for bit; `searched` of a result is not written.
 *  2. One result has one form: equal results are equal bytes.
 *  3. Writing allocates nothing: a result can be told when memory has run out.
 *  4. Numbers of variables, rules and expressions mean those of the model that both sides have; the
 *     shape says how many there are. Texts are the reader's own; reasons that programs compare
 *     (enum reason) have their own addresses again.
 *  5. Whatever the bytes are, reading them ends with a message that satisfies result_check and
 *     result_check_property, or with none. */
#ifndef CAIRN_RUN_WIRE_H
#define CAIRN_RUN_WIRE_H

#include "result/member.h"
#include "result/result.h"

enum { WIRE_VERSION = 1, WIRE_HEAD = 65, WIRE_CHECK = 39 };
extern const uint64_t wire_most_bytes; /* no message is longer */

struct wire {
    uint32_t status; /* with which the process that wrote it ends */
    struct member_shape shape;
    struct result result;
    uint32_t property_count;
    struct property_result *properties;
    const char *told; /* the result as a door tells it, for a reader without the model; or NULL */
};

/* A message about a task and its result, which stay where they are. `model` has the numbers. */
struct wire wire_of(const struct model *model, const struct task *task,
                    const struct result *result);

/* Writes it piece by piece. False: put said so. */
typedef bool wire_put(void *context, const void *bytes, size_t size);
bool wire_write(const struct wire *message, const uint64_t identity[2], wire_put *put,
                void *context);
/* To a pipe or socket; errno says why not. */
bool wire_send(const struct wire *message, const uint64_t identity[2], int to);
/* To a file, which is there whole or not at all: it is written under the other name, synced and
 * renamed. NULL, or why it cannot be written. */
const char *wire_save(const struct wire *message, const uint64_t identity[2], const char *path,
                      const char *new_path);

/* Reads it; everything it has is from this memory, in blocks that wire_free frees. False: there is
 * no such message, and nothing is left of it. */
bool wire_read(struct wire *message, const uint64_t identity[2], struct mem *mem, const void *bytes,
               uint64_t size);
bool wire_receive(struct wire *message, const uint64_t identity[2], struct mem *mem, int from);
bool wire_load(struct wire *message, const uint64_t identity[2], struct mem *mem, const char *path);
void wire_free(struct wire *message, struct mem *mem);
/* Whether what was read is about this model and these properties. */
bool wire_fits(const struct wire *message, const struct model *model, const struct task *task);

/* Passes a message on without looking at more than its head, and without allocating. */
bool wire_relay(int from, int to);

/* Whole numbers of bytes, whatever signals come. False: errno says why; 0: the end came first. */
bool wire_read_all(int from, void *to, size_t bytes);
bool wire_write_all(int to, const void *from, size_t bytes);

/* For tests: gives a message whose body was changed the sum that it needs; the table of a message.
 */
void wire_sum(void *bytes, uint64_t size);
extern const struct members wire_members, wire_shape_members;

#endif
