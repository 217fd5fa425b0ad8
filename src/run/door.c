#include "run/door.h"

void door_clear(const struct door *door, bool others)
{
    if (door->clear) door->clear(door->context, others);
}
