/* The Milestones language (docs/milestones.md): text to model. */
#ifndef CAIRN_LANG_MILESTONES_H
#define CAIRN_LANG_MILESTONES_H

#include "lang/common/language.h"

extern const struct language milestones_language;

#endif
