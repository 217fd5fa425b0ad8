/* The tree of words against a plain array: records get one word each, and back; a view finds those
 * that were added, and no other; allocations that fail. */
#include "base/mem.h"
#include "base/random.h"
#include "solver/tree.h"
#include "unit/unit.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { RECORDS = 200 };
#else
enum { RECORDS = 3000 };
#endif
enum { WORDS_MOST = 100, SAMPLE = 40 };

static uint64_t known[RECORDS][WORDS_MOST], made[RECORDS];

/* Like the one before but for few words, of few values; the last word is small. */
static void next_record(struct random *random, uint32_t words, const uint64_t *before, uint64_t *to)
{
    if (to != before) memcpy(to, before, words * sizeof *to);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t at = (uint32_t)random_below(random, words);
        const uint64_t value = random_below(random, 5);
        to[at] = at + 1 == words ? value : value * UINT64_C(0x0123456789ABCDEF);
    }
}

static uint64_t find(struct tree_view *view, const uint64_t *words)
{
    tree_view_sum(view, words, NULL);
    return tree_view_find(view, words);
}

static uint64_t place_of(const uint64_t *words, uint32_t count, uint64_t records)
{
    for (uint64_t i = 0; i < records; i++)
        if (!memcmp(known[i], words, count * sizeof *words)) return i;
    return UINT64_MAX;
}

static void check_record(struct unit *unit, const struct tree *tree, struct tree_view *view,
                         uint64_t at)
{
    uint64_t words[WORDS_MOST];
    tree_load(tree, made[at], words);
    CHECK(unit, !memcmp(words, known[at], tree->leaves * sizeof *words));
    tree_view_show(view, made[at]);
    CHECK(unit, !memcmp(view->words, known[at], tree->leaves * sizeof *words));
    CHECK(unit, tree_word(tree, made[at], tree->leaves / 2) == words[tree->leaves / 2]);
}

static void test_tree(struct unit *unit, uint32_t words, uint64_t seed)
{
    struct mem mem;
    struct tree tree;
    struct tree_view adding, looking;
    struct random random = {seed};
    uint64_t used[WORDS_MOST], sample[SAMPLE * WORDS_MOST] = {0}, record[WORDS_MOST] = {0};
    mem_init(&mem);
    for (uint32_t i = 0; i < words; i++) used[i] = i + 1 == words ? 7 : UINT64_MAX;
    for (uint32_t i = 1; i < SAMPLE; i++)
        next_record(&random, words, sample + (i - 1) * words, sample + i * words);
    CHECK(unit, tree_init(&tree, &mem, words, used, sample, SAMPLE));
    CHECK(unit, tree_check(&tree));
    CHECK(unit, tree_view_open(&adding, &tree, &mem) && tree_view_open(&looking, &tree, &mem));
    uint64_t count = 0;
    for (unsigned i = 0; i < RECORDS; i++) {
        next_record(&random, words, record, record);
        const uint64_t place = place_of(record, words, count), found = find(&looking, record);
        /* entries of a new one may all be there: then it has a word that no other has */
        CHECK(unit, place == UINT64_MAX || found == made[place]);
        const uint64_t added = tree_view_add(&adding, record);
        CHECK(unit, added != TREE_NONE && find(&looking, record) == added);
        CHECK(unit, found == TREE_NONE || found == added);
        for (uint64_t k = 0; place == UINT64_MAX && k < count; k++)
            if (made[k] == added) CHECK(unit, !"two records have one word");
        if (place == UINT64_MAX) {
            memcpy(known[count], record, words * sizeof *record);
            made[count++] = added;
        } else CHECK(unit, made[place] == added);
        check_record(unit, &tree, &looking, random_below(&random, count));
        if (i % 64 == 0 && count)
            memcpy(record, known[random_below(&random, count)], sizeof record);
    }
    CHECK(unit, tree_check(&tree));
    for (uint64_t i = 0; i < count; i++) check_record(unit, &tree, &looking, i);
    tree_view_close(&adding);
    tree_view_close(&looking);
    tree_release(&tree);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* Each allocation fails once: what was added before stays as it was. */
static void test_refused(struct unit *unit, uint32_t words)
{
    const uint64_t used[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, sample[8] = {0};
    for (uint64_t at = 1; at < 120; at++) {
        struct mem mem;
        struct tree tree;
        struct tree_view view = {.tree = NULL};
        mem_init(&mem);
        mem.fail_at = at;
        if (tree_init(&tree, &mem, words, used, sample, 2) && tree_view_open(&view, &tree, &mem))
            for (uint64_t i = 0; i < 200; i++) {
                const uint64_t record[4] = {i, i * i, i / 3, i % 7};
                uint64_t again = tree_view_add(&view, record), loaded[4];
                if (again == TREE_NONE) again = tree_view_add(&view, record);
                CHECK(unit, again != TREE_NONE);
                tree_load(&tree, again, loaded);
                CHECK(unit, !memcmp(record, loaded, words * sizeof *record));
            }
        tree_view_close(&view);
        if (tree.leaves) tree_release(&tree);
        CHECK(unit, mem.used == 0);
        mem_release(&mem);
    }
}

int main(void)
{
    struct unit unit = {0, 0};
    const uint32_t widths[] = {2, 3, 5, 17, 33, 64, 65, 100};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++)
        test_tree(&unit, widths[i], 7 + i);
    test_refused(&unit, 4);
    return unit_finish(&unit);
}
