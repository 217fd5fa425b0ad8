/* The model's own text form (docs/model-format.md), read back: the inverse of model/print.h. */
#ifndef CAIRN_LANG_CAIRN_H
#define CAIRN_LANG_CAIRN_H

#include "lang/common/language.h"

extern const struct language cairn_language;

#endif
