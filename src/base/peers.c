#include "base/peers.h"

#include <assert.h>

enum peers_accord peers_agree(struct peers *peers, bool can_begin, const uint64_t identity[2])
{
    /* the largest, and the complement of the smallest one */
    uint64_t missing[2] = {!can_begin, !can_begin && !peers->me},
             maxima[] = {identity[0], identity[1], ~identity[0], ~identity[1]};
    assert(peers->stage == PEERS_APART);
    const bool met = peers->kind->reduce(peers, missing, 2, maxima, 4);
    const bool differ = maxima[0] != ~maxima[2] || maxima[1] != ~maxima[3];
    peers->stage = !met || missing[0] || differ ? PEERS_PARTED : PEERS_TOGETHER;
    peers->is_others_due = met && !missing[1];
    return !met || missing[0] ? PEERS_MISSING : differ ? PEERS_DIFFER : PEERS_AGREE;
}
