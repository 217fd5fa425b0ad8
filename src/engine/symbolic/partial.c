#include "engine/symbolic/partial.h"

bdd partial_explore(struct partial *partial, bdd h, bdd f)
{
    (void)partial;
    (void)f;
    return h;
}

bdd partial_step(struct partial *partial, bdd set, enum dd_direction direction)
{
    (void)partial;
    (void)direction;
    return set;
}
