"""Published figures that test/bench/symbolic.py and bounded.py print beside ours.

THESIS: J. Vander Meulen's thesis, chapter 7, Tables 7.2, 7.5, 7.7 and 7.9 (per model and size: BFS,
PE(dead), PE) and 7.3, 7.4, 7.6, 7.8 (properties): seconds on a machine of its time. None (in the
tables of properties '-') where the table has a dash: not within five hours. Table 7.2 has one
column for PE and PE(dead). PEERS: NuSMV 2.6, BuDDy and a saturation experiment of 150 lines, CPU
seconds on a shared two-core machine like the one of docs/benchmarks.md. BMC, BPE, PHASES: Tables
7.10, 7.11 and 7.12 (k, seconds, MB of Yices at that bound; with cycles where there are any); a dash
there: not within eight hours. SAT: Tables 7.6 and 7.8, the lines about bounded model checking.
SAT_PEERS: NuSMV 2.6, NuSMV incremental, an experiment with CaDiCaL, measured for us as PEERS were.
"""


def table(columns, rows):
    return {size: dict(zip(columns, values)) for size, values in rows.items()}


METHODS = ('bfs', 'dead', 'pe')
COLUMNS = tuple(f'{kind} {method}'
                for kind in ('seconds', 'states', 'post', 'reach', 'average', 'largest')
                for method in METHODS) + ('relation', 'rule')


def both(values):
    """One figure for PE(dead) and PE."""
    return [x for bfs, pe in zip(values[:12:2], values[1:12:2])
            for x in (bfs, pe, pe)] + list(values[12:])


THESIS = {
    'pc': table(COLUMNS, {
        'm=1': (0.525, 0.374, 0.257, '1059', '459', '459', 112, 448, 448, 114, 152, 152, 76, 44, 44,
                115, 70, 70, 532, 35),
        'm=2': (0.826, 0.487, 0.572, '51859', '1211', '1211', 192, 909, 909, 171, 252, 252, 272, 75,
                75, 411, 117, 117, 950, 35),
        'm=3': (1.313, 0.902, 1.150, '3807747', '3682', '3682', 272, 1368, 1368, 230, 386, 386, 620,
                106, 106, 975, 165, 165, 1467, 36),
        'm=4': (2.859, 1.022, 0.753, '3.03e8', '27871', '27871', 352, 1832, 1832, 289, 524, 524,
                1120, 150, 150, 1779, 216, 216, 2077, 36),
        'm=10': (106.695, 2.399, 2.555, '8.51e19', '1.05e6', '1.05e6', 832, 4586, 4586, 643, 1894,
                 1894, 7323, 359, 359, 11830, 527, 527, 7759, 37),
        'm=20': (2201.940, 5.624, 4.248, '1.03e39', '5.48e7', '5.48e7', 1632, 9176, 9176, 1233,
                 5116, 5116, 29872, 726, 726, 48123, 1047, 1047, 24910, 38)}),
    'tt': table(COLUMNS, {
        'n=1': both(
    (0.938, 0.771, '18168', '5572', 120, 722, 131, 196, 111, 90, 287, 307, 1543, 29)),
        'n=2': both(
    (0.891, 0.755, '109644', '31792', 174, 999, 274, 478, 215, 149, 547, 611, 1913, 29)),
        'n=3': both(
    (1.076, 0.845, '749976', '92916', 228, 1268, 428, 872, 332, 210, 795, 919, 2307, 29)),
        'n=4': both(
    (1.287, 1.095, '5232300', '203200', 282, 1535, 582, 1346, 470, 276, 1043, 1227, 2719, 29)),
        'n=10': both(
    (5.122, 3.046, '6.15e11', '2695600', 606, 3147, 1506, 4310, 1787, 722, 3991, 3075, 5636, 29)),
        'n=20': both(
    (51.659, 5.385, '1.74e20', '2.03e7', 1146, 5823, 3046, 13025, 5888, 1367, 13301, 6145, 12184,
     30)),
        'n=40': both(
    (2082.468, 44.915, '1.39e37', '1.57e8', 2226, 11187, 6126, 44504, 21284, 2967, 48121, 12305,
     31572, 30)),
        'n=60': both(
    (None, 43.444, None, '5.25e8', None, 16543, None, 75560, None, 4217, None, 18475, 59365, 31))}),
    'el': table(COLUMNS, {
        'users=4 floors=12 bits=4': (912.43, 0.706, 1.558, '3.19e22', '6.39e10', '3.17e20', 171,
                                     291, 776, 3670, 2929, 41002, 88413, 474, 408,
                                     170167, 1494, 1494, 8507, 293)}),
    'cp': table(COLUMNS, {
        'tills=4': (3178.81, 349.19, 329.29, '1.81e10', '4.93e9', '4.93e9', 99, 1479, 1479, 927,
                    1225, 1225, 187885, 17829, 18027, 543250, 49216, 49216,
                    5800, 291)}),
    'phils': {},
}
THESIS['tt2'] = THESIS['tt']

# Per property and size: the thesis' NuSMV 2.4.3, its own backward, forward, and reduced search
# (evalCTLX, evalLTLX); NuSMV 2.6 measured for us: with -df, without.
PROPERTY_COLUMNS = ('nusmv', 'backward', 'forward', 'reduced', 'nusmv df', 'nusmv plain')
EL, CP = 'users=4 floors=12 bits=4', 'tills=4'
PROPERTIES = {key: dict(zip(PROPERTY_COLUMNS, values)) for key, values in {
    ('P1', 'm=2'): (None, None, None, None, 11.5, 0.59),
    ('P2', 'm=2'): (None, None, None, None, 45.6, 0.60),
    ('P2', 'm=7'): (None, None, None, 0.314, None, None),
    ('p6', 'n=10'): (0.63, 0.72, 1.00, 0.38, 1.9, 3.8),
    ('p6', 'n=20'): (4.20, 4.86, 9.78, 0.87, None, None),
    ('p6', 'n=40'): (33.17, 35.10, 93.63, 2.61, None, None),
    ('p11', 'n=10'): (0.65, 0.71, 1.13, 0.64, 1.4, 3.8),
    ('p11', 'n=20'): (6.22, 7.26, 10.41, 1.64, None, None),
    ('p11', 'n=40'): (35.23, 40.73, 72.46, 4.97, None, None),
    ('served_ctl', EL): (None, 9228.45, 1332.04, 2.46, None, None),
    ('arrives_ctl', EL): (None, 8064.23, 1186.40, 2.88, None, None),
    ('relief_ctl', EL): (None, 8741.96, 1536.24, 1.48, None, None),
    ('served_ltl', EL): (None, '-', 4440.23, 10.75, None, None),
    ('arrives_ltl', EL): (None, '-', 3240.79, 8.32, None, None),
    ('relief_ltl', EL): (None, '-', 120.51, 4.75, None, None),
    ('two_at_a_time_ctl', CP): (None, 10.35, 1320.25, 248.41, None, None),
    ('exclusive_ctl', CP): (None, 10.45, 1322.78, 250.14, None, None),
    ('answered_ctl', CP): (None, 12.87, 1342.45, 278.89, None, None),
    ('two_at_a_time_ltl', CP): (None, 14.57, '-', 987.35, None, None),
    ('exclusive_ltl', CP): (None, 6.73, '-', 835.73, None, None),
    ('answered_ltl', CP): (None, 23.34, '-', 901.96, None, None),
}.items()}

# NuSMV with an action variable first, NuSMV without it, BuDDy with one relation, BuDDy with
# chaining, the saturation experiment.
PEERS = {('pc', 'm=7'): ('75.7', '0.48', '0.073', '0.030', 0.007),
         ('pc', 'm=10'): ('> 296', None, None, None, None),
         ('pc', 'm=20'): (None, '24.1', '1.6', '0.19', 0.016),
         ('pc', 'm=100'): (None, None, None, None, 0.038),
         ('phils', 'n=50'): ('> 293', '3.7', '0.35', '24.7', 0.025),
         ('phils', 'n=100'): (None, '33.1', '7.0', '> 68', 0.037),
         ('tt', 'n=20'): ('27.8', '0.37', '0.065', '0.015', 0.008),
         ('tt', 'n=40'): (None, None, None, None, None)}

# Tables 7.10 and 7.11: per property and m.
BMC = {'P1': {1: (10, 10, 29), 2: (18, 44, 41), 3: (26, 11679, 65)},
       'P2': {1: (26, 73, 33), 2: (44, 29898, 131)}}
BPE = {'P1': {1: (34, 2, 7, 30), 2: (66, 2, 8, 49), 3: (98, 2, 16, 85), 4: (130, 2, 31, 122),
              5: (162, 2, 43, 169), 6: (194, 2, 57, 224), 7: (226, 2, 77, 288)},
       'P2': {1: (153, 9, 122, 96), 2: (297, 9, 211, 224), 3: (441, 9, 401, 363),
              4: (585, 9, 1238, 680), 5: (729, 9, 1338, 983), 6: (873, 9, 1926, 1438),
              7: (1017, 9, 4135, 1618)}}
# Table 7.12: per property, n = 0 to 9 with m = 2.
PHASES = {'P1': [(18, 18, 44, 41), (35, 7, 12, 41), (45, 5, 11, 40), (39, 4, 10, 47),
                 (51, 3, 8, 47), (63, 3, 10, 50), (75, 3, 12, 57), (87, 3, 13, 58), (66, 2, 8, 49),
                 (74, 2, 9, 57)],
          'P2': [(44, 44, 29898, 131), (95, 19, 855, 159), (135, 15, 235, 167), (169, 13, 305, 194),
                 (187, 11, 217, 192), (231, 11, 375, 308), (275, 11, 381, 240),
                 (319, 11, 583, 318), (297, 9, 211, 224), (333, 9, 240, 295)]}
# BMC, BMC with BPE, NuSMV's BMC.
SAT = {'served_ltl': (1425.22, 63.34, 642.23), 'exclusive_ltl': (2.9, 0.1, 0.01)}
SAT_PEERS = {('P1', 2): (0.58, 0.21, 0.09), ('P1', 3): (19.1, 5.3, 4.3),
             ('P2', 1): (0.72, 0.29, 0.14), ('P2', 2): (148, 33.4, 16.8)}
