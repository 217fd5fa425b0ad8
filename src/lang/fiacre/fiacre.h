/* Fiacre, the language of the systems in the papers on contexts and observation: docs/fiacre.md. */
#ifndef CAIRN_LANG_FIACRE_FIACRE_H
#define CAIRN_LANG_FIACRE_FIACRE_H

#include "lang/common/language.h"

extern const struct language fiacre_language;

#endif
