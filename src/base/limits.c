#include "base/limits.h"

atomic_int limits_stop, limits_interrupted, limits_hurry;
