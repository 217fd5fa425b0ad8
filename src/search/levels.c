#include "search/levels.h"

#include <assert.h>

bool levels_push(struct search *search, struct levels *levels, uint64_t states)
{
    if (levels->count == levels->room) {
        const uint64_t room = levels->room ? 2 * levels->room : 64;
        uint64_t *list = mem_try_resize(search->model->mem, levels->list, room * sizeof *list);
        if (!list) return poll_stop(search, STOP_MEMORY);
        levels->list = list;
        levels->room = room;
    }
    assert(levels->count < levels->room);
    levels->list[levels->count++] = states;
    return true;
}
