/* Forecasts from recorded searches: late in each the range has the truth, it settles, and where
 * nothing can be known that is said. The records are the levels that `cairn explore EXAMPLE -v`
 * tells, and clusters with --order past-freeze. */
#include "report/forecast.h"
#include "unit.h"

/* States known after each level. */
static const uint32_t phils13[] = {
    1,       14,      105,     547,     2185,    7060,    19085,   44214,   89493,   160941,
    261158,  387986,  534834,  692317,  850345,  999845,  1134005, 1248821, 1342798, 1416625,
    1472525, 1513228, 1541841, 1561432, 1574263, 1582375, 1587523, 1590552, 1592216, 1593256,
    1593815, 1594036, 1594192, 1594283, 1594296, 1594309, 1594322};
static const uint32_t sched[] = {
    1,     3,     6,     11,    20,    36,    62,    105,   172,   271,   414,   608,   858,
    1198,  1611,  2166,  2897,  3907,  5228,  6729,  8565,  10469, 12410, 14395, 16458, 18591,
    20559, 22493, 24175, 25673, 26916, 27895, 28632, 29171, 29574, 29880, 30123, 30314, 30462,
    30566, 30643, 30695, 30735, 30766, 30792, 30814, 30828, 30833, 30835, 30836};
static const uint32_t pn[] = {1,     5,     15,    35,    76,    165,   335,   619,   1041,
                              1610,  2327,  3180,  4167,  5317,  6663,  8242,  10065, 12112,
                              14333, 16639, 18952, 21217, 23431, 25654, 28021, 30691, 33747,
                              37194, 40983, 45066, 49412, 53940, 58485, 62782, 66561, 69617,
                              71841, 73261, 74055, 74460, 74657, 74740, 74766, 74770};
static const uint32_t cruise[] = {
    1,       2,       4,       7,       10,      13,      16,      19,      22,
    27,      41,      73,      137,     283,     575,     1180,    2524,    5312,
    10671,   20438,   36386,   61067,   97742,   148340,  214987,  297199,  392674,
    500702,  618942,  742685,  867770,  987808,  1096414, 1187335, 1257043, 1305633,
    1335743, 1351903, 1359245, 1362078, 1363002, 1363239, 1363284, 1363288};
static const uint32_t abp[] = {1,    3,    5,    11,   19,   31,   52,   78,  120,
                               178,  246,  332,  424,  520,  639,  772,  887, 996,
                               1095, 1169, 1235, 1306, 1361, 1398, 1423, 1431};
static const uint32_t szy[] = {1,    4,    10,   20,   35,   56,   84,   122,  175,  245,  328,
                               419,  518,  628,  750,  880,  1009, 1131, 1249, 1365, 1477, 1580,
                               1677, 1770, 1858, 1934, 1992, 2030, 2051, 2057, 2059, 2060};
static const uint32_t tt3[] = {
    1,      2,      4,      6,      7,      8,      9,      11,     17,     29,     53,     94,
    159,    254,    382,    543,    731,    937,    1149,   1355,   1543,   1704,   1832,   1927,
    1992,   2033,   2057,   2072,   2087,   2111,   2152,   2217,   2312,   2440,   2601,   2789,
    2995,   3207,   3413,   3601,   3762,   3890,   3985,   4050,   4091,   4115,   4130,   4145,
    4169,   4210,   4275,   4370,   4498,   4659,   4847,   5053,   5265,   5471,   5659,   5820,
    5948,   6043,   6108,   6149,   6174,   6187,   6195,   6200,   6204,   6210,   6220,   6236,
    6266,   6318,   6416,   6592,   6892,   7372,   8088,   9084,   10387,  11995,  13881,  16001,
    18295,  20710,  23194,  25713,  28237,  30743,  33206,  35599,  37892,  40058,  42080,  43962,
    45734,  47447,  49166,  50953,  52859,  54911,  57112,  59441,  61867,  64354,  66873,  69397,
    71903,  74366,  76759,  79052,  81218,  83240,  85122,  86894,  88607,  90326,  92113,  94019,
    96071,  98272,  100601, 103027, 105514, 108033, 110557, 113063, 115528, 117919, 120196, 122304,
    124190, 125804, 127122, 128143, 128892, 129419, 129785, 130053, 130293, 130579, 131016, 131765,
    133060, 135232, 138686, 143874, 151214, 161018, 173398, 188216, 205054, 223248, 241958, 260278,
    277356, 292502, 305270, 315496, 323298, 329040, 333278, 336696, 340048, 344094, 349542, 356980,
    366812, 379198, 394016, 410854, 429048, 447758, 466078, 483156, 498302, 511070, 521296, 529098,
    534840, 539078, 542496, 545848, 549894, 555342, 562780, 572612, 584998, 599816, 616654, 634848,
    653558, 671878, 688956, 704102, 716874, 727100, 734870, 740464, 744280, 746742, 748244, 749108,
    749574, 749808, 749914, 749958, 749972, 749976};
static const uint32_t pc2[] = {
    1,     3,     6,     10,    15,    21,    28,    36,    45,    53,    60,    66,    71,
    75,    78,    80,    81,    82,    83,    85,    86,    87,    88,    91,    97,    108,
    125,   149,   181,   223,   278,   348,   436,   546,   681,   847,   1051,  1299,  1594,
    1937,  2326,  2757,  3221,  3705,  4196,  4680,  5146,  5582,  5982,  6342,  6661,  6941,
    7188,  7412,  7623,  7831,  8042,  8266,  8513,  8793,  9112,  9472,  9872,  10308, 10774,
    11258, 11749, 12233, 12699, 13135, 13535, 13895, 14214, 14494, 14741, 14965, 15176, 15384,
    15595, 15819, 16066, 16346, 16665, 17025, 17425, 17861, 18327, 18811, 19302, 19786, 20252,
    20688, 21088, 21448, 21767, 22047, 22294, 22518, 22729, 22937, 23148, 23372, 23619, 23899,
    24218, 24578, 24978, 25414, 25880, 26364, 26855, 27339, 27805, 28241, 28641, 29001, 29320,
    29600, 29847, 30071, 30282, 30490, 30701, 30925, 31172, 31452, 31771, 32131, 32531, 32967,
    33433, 33917, 34408, 34892, 35358, 35794, 36194, 36554, 36873, 37153, 37400, 37624, 37835,
    38043, 38254, 38478, 38725, 39005, 39324, 39683, 40081, 40513, 40974, 41455, 41943, 42422,
    42878, 43301, 43683, 44019, 44307, 44549, 44751, 44925, 45083, 45237, 45397, 45575, 45783,
    46031, 46325, 46666, 47052, 47477, 47935, 48415, 48903, 49381, 49834, 50250, 50620, 50938,
    51201, 51409, 51565, 51677, 51754, 51804, 51834, 51850, 51857, 51859};
static const uint32_t c7[] = {
    1,     5,     9,     23,    35,    71,    95,    159,   198,   294,   347,   473,   537,
    687,   757,   920,   992,   1161,  1234,  1405,  1484,  1643,  1719,  1874,  1953,  2105,
    2184,  2335,  2414,  2569,  2647,  2809,  2886,  3055,  3130,  3295,  3371,  3534,  3613,
    3778,  3859,  4023,  4100,  4267,  4342,  4507,  4584,  4775,  4871,  5149,  5307,  5762,
    6037,  6746,  7153,  8136,  8689,  9942,  10622, 12090, 12874, 14476, 15288, 16917, 17715,
    19299, 20049, 21528, 22202, 23511, 24097, 25194, 25672, 26530, 26899, 27525, 27791, 28215,
    28391, 28646, 28751, 28894, 28952, 29018, 29044, 29072, 29083, 29091, 29094, 29096, 29097};

/* Past-freeze: states of each 40 ranks. */
static const uint32_t ranks_c7[] = {
    93,  115, 132, 131, 148, 221, 149, 123, 132, 203, 151, 175, 107, 153,  153,  163,  115, 188,
    125, 177, 120, 178, 188, 114, 117, 176, 168, 169, 213, 147, 136, 160,  157,  118,  108, 116,
    154, 117, 100, 123, 115, 151, 124, 137, 134, 170, 143, 106, 139, 172,  185,  179,  158, 143,
    306, 250, 266, 167, 333, 330, 283, 330, 390, 419, 333, 428, 564, 315,  457,  322,  562, 522,
    438, 385, 583, 596, 381, 513, 731, 755, 575, 748, 893, 675, 917, 1178, 1767, 1978, 1518};

struct record {
    const char *name;
    const uint32_t *levels;
    uint32_t count;
    bool has_stages; /* the number of states that wait falls and rises again: no forecast */
};
#define RECORD(name, has_stages)                                                                   \
    {                                                                                              \
#name, name, sizeof name / sizeof *name, has_stages                                        \
    }

/* As many seconds as millions of expansions. */
static struct search_progress at(uint64_t expanded, uint64_t states)
{
    return (struct search_progress){.states = states,
                                    .expanded = expanded,
                                    .seconds = (double)expanded / 1e6,
                                    .bytes = 100 * states,
                                    .by_levels = true};
}

static bool contains(const struct forecast *forecast, uint64_t truth)
{
    const double seconds = (double)truth / 1e6;
    return forecast->states_low <= truth && truth <= forecast->states_high
           && forecast->seconds_low <= seconds * 1.000001 && seconds <= forecast->seconds_high;
}

static void replay_levels(struct unit *unit, const struct record *record)
{
    struct forecast forecast = {0};
    const uint64_t truth = record->levels[record->count - 1];
    uint32_t late = 0, known = 0, wrong = 0;
    double width = 0;
    for (uint32_t i = 1; i < record->count; i++) {
        struct search_progress progress = at(record->levels[i - 1], record->levels[i]);
        forecast_note(&forecast, &progress, 0);
        CHECK(unit, forecast.is_known == !forecast.why_not);
        CHECK(unit, forecast.states_low == progress.states); /* they are there */
        if (progress.expanded < truth / 10 * 7) continue;
        late++;
        known += forecast.is_known;
        wrong += forecast.is_known && !contains(&forecast, truth);
        if (forecast.is_known) width = (double)forecast.states_high / (double)forecast.states_low;
    }
    CHECK(unit, late > 2 && !wrong);
    if (record->has_stages) CHECK(unit, !known);
    else CHECK(unit, known > late / 3 && width < 1.1); /* it settles */
    if (wrong || known > late) printf("%s: %u of %u wrong\n", record->name, wrong, known);
}

static void replay_ranks(struct unit *unit)
{
    enum { COUNT = sizeof ranks_c7 / sizeof *ranks_c7, STEP = 40 };
    struct forecast forecast = {0};
    uint64_t truth = 0, done = 0;
    uint32_t known = 0, wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) truth += ranks_c7[i];
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        done += ranks_c7[i];
        struct search_progress progress = at(done, done);
        progress.by_levels = false;
        progress.rank = (i + 1) * STEP;
        progress.ranks = COUNT * STEP;
        forecast_note(&forecast, &progress, 0);
        if (i < COUNT / 3 * 2) continue;
        known += forecast.is_known;
        wrong += forecast.is_known && !contains(&forecast, truth);
    }
    CHECK(unit, known > COUNT / 4 && !wrong);
}

/* Other engines and orders; memory that runs out. */
static void say_nothing(struct unit *unit)
{
    struct forecast forecast = {0};
    struct search_progress progress = at(1000, 2000);
    progress.by_levels = false;
    forecast_note(&forecast, &progress, 0);
    CHECK(unit, !forecast.is_known && forecast.why_not && forecast.full_in < 0);
    progress.nodes = 5;
    forecast_note(&forecast, &progress, 0);
    CHECK(unit, !forecast.is_known && forecast.why_not);
    progress = at(1000000, 2000000); /* 200 MB in a second */
    forecast = (struct forecast){0};
    forecast_note(&forecast, &progress, 300000000);
    CHECK(unit, forecast.full_in > 0.49 && forecast.full_in < 0.51);
    CHECK(unit, forecast_lacks_memory(&forecast, &progress, 300000000));
    CHECK(unit, !forecast_lacks_time(&forecast, 1));
    forecast.is_known = true;
    forecast.seconds_low = 1.2; /* it ends before memory does */
    CHECK(unit, !forecast_lacks_memory(&forecast, &progress, 300000000));
    CHECK(unit, forecast_lacks_time(&forecast, 1) && !forecast_lacks_time(&forecast, 2)
                    && !forecast_lacks_time(&forecast, 0));
}

int main(void)
{
    static const struct record records[] = {
        RECORD(phils13, false), RECORD(sched, false), RECORD(pn, false),
        RECORD(cruise, false),  RECORD(abp, false),   RECORD(szy, false),
        RECORD(tt3, true),      RECORD(pc2, true),    RECORD(c7, true),
    };
    struct unit unit = {0};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) replay_levels(&unit, &records[i]);
    replay_ranks(&unit);
    say_nothing(&unit);
    return unit_finish(&unit);
}
