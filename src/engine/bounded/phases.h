/* How many steps of safe rules lie between two full ones (the thesis' chapter 5, bounded partial
 * exploration). */
#ifndef CAIRN_ENGINE_BOUNDED_PHASES_H
#define CAIRN_ENGINE_BOUNDED_PHASES_H

#include "clauses/unroll.h"
#include "result/result.h"

struct phases {
    struct process_model processes;
    struct mem *mem;
    uint32_t *per_process;
    uint32_t safe_steps; /* of all processes, one after the other */
    uint32_t rounds;     /* all processes together; 0: one after the other */
    bool in_use, sets;
};

/* By the task's reduction and phase. A number that is given counts for every process that has safe
 * rules; a process without any would only idle and is left out. Chosen automatically, a process
 * gets as many steps as it can take safe rules in a row. */
void phases_init(struct phases *phases, struct model *model, const bool *visible,
                 const struct task *task);
void phases_release(struct phases *phases);
void phases_schedule(const struct phases *phases, struct schedule *schedule);

#endif
