/* A circuit as an and-inverter graph. Circuits have XOR gates, AIGER has not; and most of those
 * XORs are halves of a choice (circuit_ite). So:
 *
 *  1. What the roots (next states, properties) need is rebuilt, operands first, in a second circuit
 *     that has AND gates only. It is hash-consed and simplifies like the first one. An XOR is !(a &
 *     b) & !(!a & !b); the term a & b is what adders have in their carries too. A choice, x ^ (c &
 *     (x ^ y)), is recognised and takes three gates instead of seven.
 *  2. What is not needed any more (the inner gates of choices, operands of gates that became
 *     simpler) gets no number.
 *
 * Invariants of the numbers: inputs come first, then latches, then gates; both operands of a gate
 * have smaller numbers, and the larger one comes first, as the binary form demands: it writes only
 * differences. */
#include "export/aig.h"

#include "export/names.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void aig_init(struct aig *aig, struct circuit *circuit)
{
    memset(aig, 0, sizeof *aig);
    aig->circuit = circuit;
}

void aig_release(struct aig *aig)
{
    struct mem *mem = aig->circuit->mem;
    vec_free(mem, &aig->inputs);
    vec_free(mem, &aig->latches);
    vec_free(mem, &aig->bads);
    vec_free(mem, &aig->constraints);
    vec_free(mem, &aig->justice);
    vec_free(mem, &aig->justice_lits);
}

struct writer {
    const struct aig *aig;
    struct mem *mem;
    FILE *out;
    bool binary;
    VEC(lit) roots; /* next states, bad states, constraints, justice: in the order of the file */
    struct circuit ands; /* gates 1, 2, ... are the inputs and latches */
    uint32_t *uses;      /* per gate of the first circuit: how many gates and roots need it */
    lit *rebuilt;        /* per gate of the first circuit: in `ands` */
    uint32_t
        *number; /* per gate of `ands`: its number in the file; 0: not needed (or the constant) */
    uint32_t ports, gates; /* inputs and latches; gates that are needed */
};

static void collect_roots(struct writer *w)
{
    const struct aig *aig = w->aig;
    for (uint32_t i = 0; i < aig->latches.len; i++)
        vec_push(w->mem, &w->roots, aig->latches.data[i].next);
    for (uint32_t i = 0; i < aig->bads.len; i++)
        vec_push(w->mem, &w->roots, aig->bads.data[i].value);
    for (uint32_t i = 0; i < aig->constraints.len; i++)
        vec_push(w->mem, &w->roots, aig->constraints.data[i].value);
    for (uint32_t i = 0; i < aig->justice_lits.len; i++)
        vec_push(w->mem, &w->roots, aig->justice_lits.data[i]);
}

/* How often each gate is used by the roots and by gates that they need. */
static uint32_t *count_uses(const struct writer *w, const struct circuit *circuit)
{
    uint32_t *uses = mem_alloc(w->mem, circuit->gates.len * sizeof *uses);
    for (uint32_t i = 0; i < w->roots.len; i++) uses[w->roots.data[i] / 2]++;
    for (uint32_t g = circuit->gates.len; g-- > 1;) {
        const struct gate *gate = &circuit->gates.data[g];
        if (!uses[g] || gate->kind < GATE_AND) continue;
        uses[gate->a / 2]++;
        uses[gate->b / 2]++;
    }
    return uses;
}

/* ---- AND gates only ---- */

static lit rebuilt(const struct writer *w, lit a) { return w->rebuilt[a / 2] ^ (a & 1); }

struct choice {
    lit condition, yes, no;
    bool found, alone; /* alone: its XOR is for this choice only, and will not be needed */
};

/* gate = x ^ y where y = c & (x ^ z): when c is true it is z, otherwise x. The signs of XORs are
 * outside, so x and y have none. */
static void find_choice(const struct writer *w, lit x, lit y, struct choice *choice)
{
    const struct gate *gates = w->aig->circuit->gates.data, *both = &gates[y / 2];
    if (both->kind != GATE_AND) return;
    for (unsigned side = 0; side < 2; side++) {
        lit differ = side ? both->b : both->a, condition = side ? both->a : both->b;
        const struct gate *inner = &gates[differ / 2];
        if (inner->kind != GATE_XOR || (inner->a != x && inner->b != x)) continue;
        bool alone = w->uses[differ / 2] == 1;
        if (choice->found && (choice->alone || !alone)) continue;
        *choice = (struct choice){condition, (inner->a == x ? inner->b : inner->a) ^ (differ & 1),
                                  x, true, alone};
    }
}

static lit rebuild_xor(struct writer *w, const struct gate *gate)
{
    struct choice choice = {.found = false};
    find_choice(w, gate->a, gate->b, &choice);
    find_choice(w, gate->b, gate->a, &choice);
    if (choice.found) {
        lit c = rebuilt(w, choice.condition);
        lit yes = circuit_and(&w->ands, c, rebuilt(w, choice.yes));
        return circuit_or(&w->ands, yes, circuit_and(&w->ands, lit_not(c), rebuilt(w, choice.no)));
    }
    lit a = rebuilt(w, gate->a), b = rebuilt(w, gate->b);
    lit both = circuit_and(&w->ands, a, b), neither = circuit_and(&w->ands, lit_not(a), lit_not(b));
    return circuit_and(&w->ands, lit_not(both), lit_not(neither));
}

static void rebuild(struct writer *w)
{
    const struct circuit *circuit = w->aig->circuit;
    w->uses = count_uses(w, circuit);
    w->rebuilt = mem_alloc(w->mem, circuit->gates.len * sizeof *w->rebuilt);
    circuit_init(&w->ands, w->mem);
    for (uint32_t i = 0; i < w->aig->inputs.len; i++)
        w->rebuilt[w->aig->inputs.data[i].value / 2] = circuit_input(&w->ands, w->ports++);
    for (uint32_t i = 0; i < w->aig->latches.len; i++)
        w->rebuilt[w->aig->latches.data[i].value / 2] = circuit_input(&w->ands, w->ports++);
    assert(w->ands.gates.len == w->ports + 1); /* each of them is an input of its own */
    for (uint32_t g = 1; g < circuit->gates.len; g++) {
        const struct gate *gate = &circuit->gates.data[g];
        assert(!w->uses[g] || gate->kind != GATE_INPUT || w->rebuilt[g]);
        if (!w->uses[g] || gate->kind == GATE_INPUT) continue;
        w->rebuilt[g] = gate->kind == GATE_XOR
                            ? rebuild_xor(w, gate)
                            : circuit_and(&w->ands, rebuilt(w, gate->a), rebuilt(w, gate->b));
    }
    for (uint32_t i = 0; i < w->roots.len; i++) w->roots.data[i] = rebuilt(w, w->roots.data[i]);
}

static void give_numbers(struct writer *w)
{
    for (uint32_t g = w->ports + 1; g < w->ands.gates.len; g++)
        assert(w->ands.gates.data[g].kind == GATE_AND); /* and inputs come first */
    w->number = count_uses(w, &w->ands);
    w->number[0] = 0;
    for (uint32_t g = 1; g < w->ands.gates.len; g++) {
        if (g <= w->ports) w->number[g] = g;
        else if (w->number[g]) w->number[g] = w->ports + ++w->gates;
    }
}

/* ---- the file ---- */

static uint32_t in_file(const struct writer *w, lit a)
{
    assert(a <= LIT_TRUE || w->number[a / 2]); /* what is written has a number */
    return 2 * w->number[a / 2] + (a & 1);
}

/* Fields that are zero may be left out at the end; not all readers know the last ones. */
static void write_header(const struct writer *w)
{
    const struct aig *aig = w->aig;
    const uint32_t fields[] = {
        w->ports + w->gates, aig->inputs.len,      aig->latches.len, 0, w->gates,
        aig->bads.len,       aig->constraints.len, aig->justice.len};
    unsigned count = sizeof fields / sizeof *fields;
    while (count > 5 && !fields[count - 1]) count--;
    fputs(w->binary ? "aig" : "aag", w->out);
    for (unsigned i = 0; i < count; i++) fprintf(w->out, " %" PRIu32, fields[i]);
    fputc('\n', w->out);
}

static void write_latches(const struct writer *w)
{
    for (uint32_t i = 0; i < w->aig->latches.len; i++) {
        uint32_t self = 2 * (w->aig->inputs.len + i + 1);
        enum aig_reset reset = w->aig->latches.data[i].reset;
        if (!w->binary) fprintf(w->out, "%" PRIu32 " ", self);
        fprintf(w->out, "%" PRIu32, in_file(w, w->roots.data[i]));
        if (reset != AIG_ZERO) fprintf(w->out, " %" PRIu32, reset == AIG_ONE ? 1 : self);
        fputc('\n', w->out);
    }
}

static void write_properties(const struct writer *w)
{
    const struct aig *aig = w->aig;
    uint32_t at = aig->latches.len, justice = w->roots.len - aig->justice_lits.len;
    assert(justice == aig->latches.len + aig->bads.len + aig->constraints.len);
    for (; at < justice; at++) fprintf(w->out, "%" PRIu32 "\n", in_file(w, w->roots.data[at]));
    for (uint32_t i = 0; i < aig->justice.len; i++)
        fprintf(w->out, "%" PRIu32 "\n", aig->justice.data[i].count);
    for (; at < w->roots.len; at++) fprintf(w->out, "%" PRIu32 "\n", in_file(w, w->roots.data[at]));
}

/* Seven bits at a time, the low ones first; the top bit says that more follow. */
static void write_difference(FILE *out, uint32_t difference)
{
    for (; difference > 0x7F; difference >>= 7) fputc((int)(difference & 0x7F) | 0x80, out);
    fputc((int)difference, out);
}

static void write_gates(const struct writer *w)
{
    for (uint32_t g = w->ports + 1; g < w->ands.gates.len; g++) {
        if (!w->number[g]) continue;
        uint32_t self = 2 * w->number[g], a = in_file(w, w->ands.gates.data[g].a),
                 b = in_file(w, w->ands.gates.data[g].b);
        uint32_t large = a > b ? a : b, small = a > b ? b : a;
        assert(self > large && large > small);
        if (!w->binary)
            fprintf(w->out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", self, large, small);
        else write_difference(w->out, self - large), write_difference(w->out, large - small);
    }
}

static void write_symbol(const struct writer *w, char kind, uint32_t i, const char *name)
{
    fprintf(w->out, "%c%" PRIu32 " ", kind, i);
    names_print_comment(w->out, name);
    fputc('\n', w->out);
}

static void write_symbols(const struct writer *w)
{
    const struct aig *aig = w->aig;
    for (uint32_t i = 0; i < aig->inputs.len; i++)
        write_symbol(w, 'i', i, aig->inputs.data[i].name);
    for (uint32_t i = 0; i < aig->latches.len; i++)
        write_symbol(w, 'l', i, aig->latches.data[i].name);
    for (uint32_t i = 0; i < aig->bads.len; i++) write_symbol(w, 'b', i, aig->bads.data[i].name);
    for (uint32_t i = 0; i < aig->constraints.len; i++)
        write_symbol(w, 'c', i, aig->constraints.data[i].name);
    for (uint32_t i = 0; i < aig->justice.len; i++)
        write_symbol(w, 'j', i, aig->justice.data[i].name);
}

void aig_write(const struct aig *aig, FILE *out, bool binary)
{
    struct writer w = {.aig = aig, .mem = aig->circuit->mem, .out = out, .binary = binary};
    collect_roots(&w);
    rebuild(&w);
    give_numbers(&w);
    write_header(&w);
    for (uint32_t i = 0; i < aig->inputs.len && !binary; i++)
        fprintf(out, "%" PRIu32 "\n", 2 * (i + 1));
    write_latches(&w);
    write_properties(&w);
    write_gates(&w);
    write_symbols(&w);
    vec_free(w.mem, &w.roots);
    mem_free(w.mem, w.uses);
    mem_free(w.mem, w.rebuilt);
    mem_free(w.mem, w.number);
    circuit_release(&w.ands);
}
