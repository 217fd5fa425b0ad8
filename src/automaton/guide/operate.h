/* Operations on minimal automata: what the operations of guides (phrase.h) make of the automata of
 * their operands. With `prefixes` the result has all prefixes of its words; then operands may have
 * more words than they should where only prefixes of them matter (compile.c says where). Results
 * are minimal.
 *
 * All return BUILD_TOO_LARGE when more than max_states states would be needed on the way, and leave
 * an empty automaton then, as when memory is refused. */
#ifndef CAIRN_AUTOMATON_GUIDE_OPERATE_H
#define CAIRN_AUTOMATON_GUIDE_OPERATE_H

#include "automaton/guide/dfa.h"

struct operate {
    struct mem *mem;
    uint32_t max_states;
    bool prefixes;
};

enum build_status operate_skip(const struct operate *how, struct dfa *to);
enum build_status operate_event(const struct operate *how, uint32_t label, struct dfa *to);
enum build_status operate_seq(const struct operate *how, const struct dfa *const *parts,
                              uint32_t count, struct dfa *to);
/* `or_nothing`: also the empty word. */
enum build_status operate_choice(const struct operate *how, const struct dfa *const *parts,
                                 uint32_t count, bool or_nothing, struct dfa *to);
enum build_status operate_par(const struct operate *how, const struct dfa *a, const struct dfa *b,
                              struct dfa *to);
enum build_status operate_repeat(const struct operate *how, const struct dfa *part, bool or_nothing,
                                 struct dfa *to); /* any number of times */
enum build_status operate_rep(const struct operate *how, const struct dfa *part, uint32_t low,
                              uint32_t high, struct dfa *to);
/* operate_of.c; high is at most count */
enum build_status operate_of(const struct operate *how, const struct dfa *const *parts,
                             uint32_t count, uint32_t low, uint32_t high, struct dfa *to);

#endif
