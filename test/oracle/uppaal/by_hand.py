"""Small models whose answers follow from the words of the language's description, worked out by
hand: {name: (model, {query: True, False, or the values of sup and inf})}."""

CASES = {
    'a sender is updated before its receiver': ('''
        chan c; int[0,9] v = 1;
        process S() { state A, B; init A; trans A -> B { sync c!; assign v = v + 1; }; }
        process R() { state A, B; init A; trans A -> B { sync c?; assign v = v * 3; }; }
        system R, S;''', {
            'E<> v == 6': True, 'E<> v == 4': False, 'A[] v == 1 or v == 6': True}),
    'receivers of a broadcast in the order of the system line': ('''
        broadcast chan c; int[0,99] v = 1;
        process S() { state A, B; init A; trans A -> B { sync c!; assign v = v + 1; }; }
        process R(const int n) { state A, B; init A;
            trans A -> B { sync c?; assign v = v * 3 + n; }; }
        R1 = R(1); R2 = R(2);
        system R2, S, R1;''', {'A[] v == 1 or v == 25': True, 'E<> v == 25': True}),
    'a broadcast waits for nobody, and takes all who can': ('''
        broadcast chan c; int[0,1] open;
        process S() { state A, B; init A; trans A -> B { sync c!; }; }
        process R() { state A, B; init A; trans A -> B { guard open == 1; sync c?; }; }
        process O() { state A, B; init A; trans A -> B { assign open = 1; }; }
        system S, R, O;''', {
            'E<> S.B and R.A and open == 0': True, 'E<> S.B and R.B': True,
            'E<> R.B and S.A': False, 'A[] R.B imply O.B': True}),
    'a receiver whose invariant fails makes the broadcast impossible': ('''
        broadcast chan c; int[0,1] v;
        process S() { state A, B; init A; trans A -> B { sync c!; }; }
        process R() { state A, B { v == 1 }; init A; trans A -> B { sync c?; }; }
        system S, R;''', {'E<> S.B': False, 'A[] deadlock': True}),
    'receivers with several edges: every choice': ('''
        broadcast chan c; int[0,3] v;
        process S() { state A, B; init A; trans A -> B { sync c!; }; }
        process R() { state A, B, C; init A; trans A -> B { sync c?; }, A -> C { sync c?; }; }
        process Q() { state A, B; init A; trans A -> B { sync c?; }; }
        system S, R, Q;''', {
            'E<> R.B and Q.B': True, 'E<> R.C and Q.B': True, 'E<> S.B and Q.A': False}),
    'nobody synchronises with himself': ('''
        chan c;
        process P() { state A, B; init A; trans A -> B { sync c!; }, A -> B { sync c?; }; }
        system P;''', {'E<> P.B': False, 'E<> deadlock': True}),
    'committed locations go first': ('''
        int[0,2] v;
        process P() { state A, B, C; commit B; init A;
            trans A -> B { assign v = 1; }, B -> C { assign v = 0; }; }
        process Q() { state A, B; init A; trans A -> B { guard v == 1; }; }
        system P, Q;''', {'E<> Q.B': False, 'E<> P.B': True, 'A<> P.C': False}),
    'any part of a broadcast may be the committed one': ('''
        broadcast chan c;
        process S() { state A, B; init A; trans A -> B { sync c!; }; }
        process R() { state A, B; commit A; init A; trans A -> B { sync c?; }; }
        process Q() { state A, B; init A; trans A -> B { }; }
        system S, R, Q;''', {'E<> S.B': True, 'E<> R.A and Q.B': False, 'A<> R.B': True}),
    'urgent locations stop time, and nothing else': ('''
        clock x;
        process P() { state A, B; urgent A; init A; trans A -> B { }; }
        process Q() { state A, B; init A; trans A -> B { }; }
        system P, Q;''', {
            'E<> P.A and Q.B': True, 'E<> P.A and x > 0': False, 'A<> P.B': True,
            'A<> Q.B': False}),
    'urgent channels stop time once both can': ('''
        clock x; urgent chan u; int[0,1] v;
        process S() { state A, B; init A; trans A -> B { guard v == 1; sync u!; }; }
        process R() { state A, B; init A; trans A -> B { sync u?; }; }
        process O() { state A { x <= 3 }, B; init A;
            trans A -> B { guard x >= 2; assign v = 1; }; }
        system S, R, O;''', {
            'E<> v == 1 and S.A and x > 3': False, 'E<> v == 1 and S.A and x == 3': True,
            'E<> S.B and x > 7': True, 'A<> S.B': True}),
    'an urgent broadcast needs nobody': ('''
        clock x; urgent broadcast chan u;
        process S() { state A, B; init A; trans A -> B { sync u!; }; }
        system S;''', {'E<> S.A and x > 0': False, 'A<> S.B': True}),
    'resting for ever is a run': ('''
        clock x;
        process P() { state A, B { x <= 5 }, C; init A;
            trans A -> B { assign x = 0; }, B -> C { }; }
        system P;''', {
            'A<> P.B': False, 'E[] P.A': True, 'P.B --> P.C': True, 'E[] not P.C': True,
            'A[] not deadlock': False, 'E<> deadlock and P.A': False}),
    'a run may end where time stops': ('''
        clock x;
        process P() { state A { x <= 5 }, B; init A; trans A -> B { guard x < 3; }; }
        system P;''', {
            'E[] P.A': True, 'A<> P.B': False, 'E<> deadlock and P.A': True,
            'A[] deadlock imply P.B or x >= 3': True, 'E<> deadlock and x == 3 and P.A': True,
            'E<> deadlock and x < 3 and P.A': False, 'A<> x >= 3 or P.B': True}),
    'deadlock looks ahead in time': ('''
        clock x;
        process P() { state A, B; init A; trans A -> B { guard x >= 4 && x <= 6; }, B -> B { }; }
        system P;''', {
            'E<> deadlock': True, 'A[] deadlock imply x > 6': True,
            'E<> x == 0 and deadlock': False,
            'A[] P.B imply not deadlock': True}),
    'runs without time count': ('''
        clock x;
        process P() { state A { x <= 1 }, B; init A; trans A -> A { }, A -> B { guard x == 1; }; }
        system P;''', {'A<> P.B': False, 'E[] x == 0': True, 'A<> x == 1': False}),
    'invariants are tested after all updates': ('''
        chan c; int[0,3] v;
        process S() { state A, B { v == 3 }; init A; trans A -> B { sync c!; assign v = 1; }; }
        process R() { state A, B; init A; trans A -> B { sync c?; assign v = v + 2; }; }
        system S, R;''', {'E<> S.B and v == 3': True}),
    'select': ('''
        typedef int[1,3] r; int[0,9] v; chan c[4];
        process S() { state A, B; init A;
            trans A -> B { select i : r, j : int[0,1]; guard i != 2; sync c[i]!;
                           assign v = 2 * i + j; }; }
        process R() { state A, B; init A; trans A -> B { select k : r; sync c[k]?; }; }
        system S, R;''', {
            'E<> v == 2': True, 'E<> v == 3': True, 'E<> v == 4': False, 'E<> v == 5': False,
            'E<> v == 7': True, 'E<> v == 8': False}),
    'branch points: all branches, in one step': ('''
        int[0,3] v;
        process P() { state A, C, D; branchpoint b; init A;
            trans A -> b { assign v = 1; }, b -> C { assign v = v + 1; probability 1; },
                  b -> D { probability 0; }; }
        system P;''', {
            'E<> P.C and v == 2': True, 'E<> P.D and v == 1': True, 'E<> P.A and v == 1': False}),
    'channel priorities hold others back at that moment': ('''
        clock x; chan a, b; chan priority a < b;
        process P() { state A, B, C; init A;
            trans A -> B { sync a!; }, A -> C { guard x <= 2; sync b!; }; }
        process Q() { state A; init A; trans A -> A { sync a?; }, A -> A { sync b?; }; }
        system P, Q;''', {
            'E<> P.B': True, 'E<> P.B and x <= 2': False, 'E<> P.C and x == 1': True,
            'E<> P.A and x == 5': True}),
    'steps without a channel are default': ('''
        chan a, b; chan priority a < default < b; int[0,1] v;
        process P() { state A, B, C, D; init A;
            trans A -> B { sync a!; }, A -> C { }, C -> D { }, C -> A { sync b!; }; }
        process Q() { state A; init A; trans A -> A { sync a?; }, A -> A { sync b?; }; }
        system P, Q;''', {'E<> P.B': False, 'E<> P.C': True, 'E<> P.D': False}),
    'process priorities': ('''
        int[0,1] v;
        process P() { state A, B; init A; trans A -> B { guard v == 0; }; }
        process Q() { state A, B; init A; trans A -> B { assign v = 1; }; }
        system P < Q;''', {'E<> P.B': False, 'E<> Q.B': True}),
    'process sets': ('''
        typedef int[0,2] id_t; int[0,3] n; int[0,2] last;
        process P(const id_t i) { clock x; int[0,2] mine = i; state A { x <= i }, B; init A;
            trans A -> B { guard x >= i; assign n++, last = i; }; }
        system P;''', {
            'E<> forall (i : id_t) P(i).B': True, 'A<> n == 3': True,
            'A[] n == 3 imply last == 2': True,
            'A[] P(2).mine == 2': True, 'E<> P(0).A and P(0).x > 0': False,
            'E<> P(1).B and P(2).A and P(1).x == 1': True, 'A[] (sum (i : id_t) P(i).B) == n': True,
            'A[] n == 0 imply sum (i : id_t) P(i).B == n': True}),
    'partial instantiation': ('''
        int[0,9] a[2] = {3, 5};
        process P(const int[0,1] i, int[0,9] &v, const int k) { state A, B; init A;
            trans A -> B { assign v = v + i + k; }; }
        Q(const int[0,1] j) = P(j, a[j], 2);
        system Q;''', {
            'E<> a[0] == 5 and a[1] == 8': True, 'A[] a[0] == 3 or a[0] == 5': True,
            'A[] Q(1).B == (a[1] == 8)': True}),
    'parameters by value are variables': ('''
        process P(int[0,3] n) { state A; init A; trans A -> A { guard n < 3; assign n++; }; }
        Q = P(1);
        system Q;''', {'E<> Q.n == 3': True, 'E<> Q.n == 0': False, 'E<> deadlock': True}),
    'imply and or are of one level, from left to right': ('''
        int[0,1] a, b, c, r, s;
        process P() { state A, B; init A;
            trans A -> B { assign r = (a imply b imply c), s = (a imply b or c); },
                  A -> A { select i : int[0,1], j : int[0,1], k : int[0,1];
                           assign a = i, b = j, c = k; }; }
        system P;''', {
            'A[] P.B imply (r == ((not a or b) imply c))': True,
            'E<> P.B and a == 0 and c == 0 and r == 1': False,
            'A[] P.B imply s == ((not a or b) or c)': True}),
    'division and remainder as in C': ('''
        int a = -7 / 2, b = -7 % 2, c = 7 / -2, d = 7 % -2, e = 1 << 3, f = 13 >> 1;
        int g = 6 & 3, h = 6 | 3, i = 6 ^ 3, j = 2 <? 5, k = 2 >? 5;
        process P() { state A; init A; }
        system P;''', {
            'A[] a == -3 and b == -1 and c == -3 and d == 1 and e == 8 and f == 6': True,
            'A[] g == 2 and h == 7 and i == 5 and j == 2 and k == 5': True}),
    'records, arrays, values and references': ('''
        typedef struct { int[0,9] f; bool g[2]; } rec;
        rec r = {4, {true, false}}, s; int[0,9] a[3] = {1, 2, 3}; int[0,99] n;
        void byvalue(int[0,9] x[3]) { x[0] = 9; }
        void byreference(int[0,9] &x[3], rec &y) { x[1] = 9; y.f = 8; }
        int total(rec q) { int t = q.f; for (i : int[0,2]) t += a[i]; return t; }
        process P() { state A, B, C; init A;
            trans A -> B { assign byvalue(a), byreference(a, r), s = r, r.f = 1; },
                  B -> C { guard s != r; assign n = total(s); }; }
        system P;''', {
            'A[] P.B imply a[0] == 1 and a[1] == 9 and s.f == 8 and s.g[0] and r.f == 1': True,
            'A<> n == 21': False, 'E<> n == 21': True, 'A[] P.C imply n == 21': True}),
    'statements': ('''
        int[0,99] n;
        int fib(int k) { int a = 0, b = 1, i;
            for (i = 0; i < k; i++) { int t = a + b; a = b; b = t; } return a; }
        int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
        bool odd(int k) { if (k % 2 == 0) return false; return true; }
        int last(int k) { do { k -= 3; } while (k > 3); return k; }
        process P() { state A, B; init A;
            trans A -> B { assign n = fib(9) + gcd(12, 18) + (odd(3) ? last(11) : 0); }; }
        system P;''', {'A[] P.B imply n == 42': True, 'E<> n == 42': True}),
    'scalars': ('''
        typedef scalar[3] s_t; int[0,1] taken[s_t]; int[0,3] n;
        process P(const s_t me) { state A, B; init A;
            trans A -> B { guard forall (o : s_t) o != me imply taken[o] == 0;
                           assign taken[me] = 1, n++; }; }
        system P;''', {
            'A[] n <= 1': True, 'E<> exists (i : s_t) P(i).B': True,
            'A[] forall (i : s_t) forall (j : s_t) P(i).B && P(j).B imply i == j': True}),
    'clocks: first values, resets, bounds that vary': ('''
        clock x = 2, y; int[0,5] n = 4;
        process P() { state A { x <= n }, B { y <= n - 2 }, C; init A;
            trans A -> B { guard x >= n; assign n = 3, x = n - 2; }, B -> C { guard y == n - 2; }; }
        system P;''', {
            'A[] P.A imply x - y == 2': True, 'E<> P.B': False, 'E<> deadlock and x == 4': True,
            'A[] P.A imply y <= 2': True}),
    'clocks are set in order, from what is there then': ('''
        clock x; int[0,5] n = 4;
        process P() { state A, B; init A; trans A -> B { assign n = 3, x = n - 2; }; }
        system P;''', {'E<> P.B and x == 1': True, 'E<> P.B and x < 1': False}),
    'differences of clocks': ('''
        clock x, y;
        process P() { state A { y <= 4 }, B, C; init A;
            trans A -> A { guard y == 4; assign y = 0; }, A -> B { guard x - y > 7 && x - y < 9; },
                  A -> C { guard x - y == 6; }; }
        system P;''', {
            'E<> P.B': True, 'E<> P.C': False, 'A[] P.B imply x - y == 8': True,
            'A[] x - y >= 0': True, 'E<> x < y': False}),
    'open bounds': ('''
        clock x, y;
        process P() { state A { x < 2 }, B, C, D; init A;
            trans A -> A { guard x > 1; assign x = 0; }, A -> B { guard x == 0 && y == 1; },
                  A -> C { guard x == 0 && y > 1 && y < 2; }, A -> D { guard y >= 2; }; }
        system P;''', {
            'E<> P.B': False, 'E<> P.C': True, 'E<> P.D': True, 'E<> P.A and x == 2': False}),
    'a disjunction with one side of clocks': ('''
        clock x; int[0,1] v;
        process P() { state A, B; init A;
            trans A -> B { guard v == 1 || x >= 3; }, A -> A { assign v = 1; }; }
        system P;''', {
            'E<> P.B and v == 0 and x < 3': False, 'E<> P.B and x == 0': True,
            'A[] P.B && v == 0 imply x >= 3': True}),
    'a receiver with a clock guard': ('''
        clock x; broadcast chan c;
        process S() { state A, B; init A; trans A -> B { sync c!; }; }
        process R() { state A, B; init A; trans A -> B { guard x <= 2; sync c?; }; }
        system S, R;''', {
            'E<> S.B and R.A and x == 2': False, 'E<> S.B and R.A and x == 3': True,
            'E<> R.B and x == 2': True, 'A[] S.B && x <= 2 imply R.B': True}),
    'an urgent channel with a clock guard': ('''
        clock x; urgent broadcast chan u;
        process S() { state A, B; init A; trans A -> B { guard x >= 3; sync u!; }; }
        system S;''', {
            'E<> S.A and x == 3': True, 'E<> S.A and x > 3': False, 'A<> S.B': True,
            'E<> S.B and x > 3': True}),
    'whole runs with differences of clocks': ('''
        clock x, y;
        process P() { state A { y <= 4 }, B; init A;
            trans A -> A { guard y == 4; assign y = 0; }, A -> B { guard x - y > 7 && x - y < 9; };
        }
        system P;''', {
            'E[] P.A': True, 'A<> P.B': False, 'E[] x - y <= 4': False, 'E[] x - y <= 8': True,
            'A<> x - y >= 4': True, 'x - y == 4 --> x - y == 8': True,
            'P.A and x - y == 8 --> P.B': False, 'sup{P.A}: y': [[(4, 1)]],
            'sup{P.B}: y': [['large']], 'inf{P.B}: x': [[(8, 1)]],
            'sup{x - y < 8}: x': [[(8, 1)]]}),
    'a difference in a query, of a clock that is set to more than 0': ('''
        clock x, y, z;
        process P() { state A { z <= 4 }, B { z <= 4 }, C; init A;
            trans A -> B { guard z == 2; }, B -> C { guard z >= 4; assign x = 5; }; }
        system P;''', {
            'E<> P.C and x - y > 2': False, 'E<> P.C and x - y > 0': True,
            'A[] P.C imply x - y <= 2': True, 'E[] x - y >= 0': True}),
    'whole runs that an urgent step with a clock guard ends': ('''
        clock x, y; urgent broadcast chan u;
        process S() { state A, B; init A; trans A -> B { guard x > 3; sync u!; }; }
        system S;''', {
            'E<> S.B': False, 'E[] S.A': True, 'A<> S.B': False, 'A<> x == 3': True,
            'E[] x < 3': False, 'E[] x <= 3': True, 'x == 1 --> deadlock and x == 3': True,
            'sup: x': [[(3, 1)]], 'A<> x > 3': False}),
    'an urgent step with a clock guard that closes': ('''
        clock x, y; urgent broadcast chan u;
        process S() { state A, B { x <= 5 }; init A;
            trans A -> B { guard x >= 2 && y <= 3; sync u!; },
                  A -> A { guard x == 1; assign x = 0; }, B -> A { guard x >= 4; }; }
        system S;''', {
            'A<> S.B': False, 'E[] S.A': True, 'E[] S.A and y < 3': False,
            'E[] S.A and x < 3': True,
            'S.A and y > 4 --> x >= 9': False, 'S.B --> x >= 4': True, 'S.B --> S.A': True,
            'S.B --> S.A and y > 5': True, 'sup{S.A and y <= 2}: x': [[(2, 1)]],
            'sup{S.A}: x': [['large']], 'inf{S.B}: y': [[(2, 1)]], 'sup{S.B}: y': [[(6, 1)]]}),
    'steps that fail are not taken': ('''
        int[0,2] v; int[0,1] a[2];
        process P() { state A, B, C; init A;
            trans A -> A { assign v++; }, A -> B { guard v == 2; assign a[v] = 1; },
                  A -> C { guard v == 2; assign v = 1 / (v - 2); }; }
        system P;''', {'E<> P.B': False, 'E<> P.C': False, 'E<> v == 2': True}),
    'largest and smallest values': ('''
        clock x; int[0,9] v;
        process P() { state A { x <= 5 }, B { x < 3 }; init A;
            trans A -> B { guard x >= 2; assign x = 1, v = v + 3; }, B -> A { guard v < 6; }; }
        system P;''', {
            'sup: v': [[(6, 1)]], 'sup{P.B}: x': [[(3, 0)]], 'sup{P.A}: x, v': [[(5, 1)], [(3, 1)]],
            'inf{P.B}: x, v': [[(1, 1)], [(3, 1)]], 'bounds{P.B}: x': [[(1, 1), (3, 0)]],
            'inf: x': [[(0, 1)]]}),
    'structs, arrays of them by reference, copies by value': ('''
        const int N = 3; typedef int[0,N-1] id_t;
        typedef struct { int[0,20] v; bool on; id_t who; } rec;
        rec db[N] = { {1, true, 2}, {2, false, 0}, {3, true, 1} }; rec last; int[0,100] total;
        void bump(rec &r, int[0,9] by) { r.v += by; r.on = !r.on; }
        void bumpAll(rec &a[N], int[0,9] by) { for (i : id_t) bump(a[i], by + i); }
        int[0,100] sumOf(rec a[N]) {
            int s = 0;
            for (i : id_t) if (a[i].on) s += a[i].v;
            a[0].v = 0;
            return s;
        }
        process P() { state A, B, C, D; init A;
            trans A -> B { guard sumOf(db) == 4; assign bumpAll(db, 1), total = sumOf(db); },
                  B -> C { assign last = db[1], db[1] = db[2], db[2] = last; },
                  C -> D { guard db[2] == last && db[1] != last;
                           assign last.v = 20, total = last.v + db[2].v; }; }
        system P;''', {
            'E<> P.D': True, 'A[] P.B imply total == 4 and db[0].v == 2 and db[2].v == 6': True,
            'A[] P.D imply total == 24': True,
            'A[] P.D imply db[1].who == 1 and db[2].who == 0': True}),
    'functions: early return, loops, references, operators on bits': ('''
        int a[2][3] = { {1, 2, 3}, {4, 5, 6} };
        const int M[2][2][2] = { { {1, 2}, {3, 4} }, { {5, 6}, {7, 8} } };
        meta int tmp; int r, q; bool flag;
        int first(int x) { for (i : int[0,5]) { if (i * i > x) return i; } return -1; }
        int fact(int n) { int f = 1; while (n > 1) { f = f * n; n--; } return f; }
        int find(int v) {
            int i, j;
            for (i = 0; i < 2; i++)
                for (j = 0; j < 3; j++) { if (a[i][j] == v) return 10 * i + j; }
            return -7;
        }
        int sw(int &x, int &y) { int t = x; x = y; y = t; return x - y; }
        bool odd(int x) { return x & 1; }
        int dow() { int k = 0; do { k += 3; } while (k < 10); return k; }
        process P() { state S0, S1, S2, S3, S4, S5; init S0;
            trans S0 -> S1 { guard (flag ? 1 : 2) == 2 && (r == 0 imply q == 0);
                             assign r = first(10), q = fact(4), flag = odd(r) || false; },
                  S1 -> S2 { assign r = find(6), q = find(9), sw(r, q); },
                  S2 -> S3 { assign tmp = M[1][0][1], r = tmp << 2 | 1, q = (r ^ 5) & -4,
                                    flag = r >> 1 == 12; },
                  S3 -> S4 { assign r = -7 / 2, q = -7 % 3, r = r <? q, q = r >? 4; },
                  S4 -> S5 { assign r = dow(), q = (r += 2) * 2, a[0][r % 3]++, a[1][2]--,
                                    r = a[0][1] + a[0][2] + a[1][2]; }; }
        system P;''', {
            'A[] P.S1 imply r == 4 and q == 24 and not flag': True,
            'A[] P.S2 imply r == -7 and q == 12': True,
            'A[] P.S3 imply r == 25 and q == 28 and flag': True,
            'A[] P.S4 imply r == -3 and q == 4': True,
            'A[] P.S5 imply r == 11 and q == 28': True, 'E<> P.S5': True}),
    'process sets over parts of an array, selects over named ranges': ('''
        const int N = 4; typedef int[1,N] pos_t; typedef int[0,2] lvl_t;
        int[0,9] grid[pos_t][lvl_t] = { {0,1,2}, {1,2,3}, {2,3,4}, {3,4,5} };
        int[0,60] s; broadcast chan tick;
        process Cell(const pos_t p, const lvl_t l, int[0,9] &c) { state A, B; init A;
            trans A -> B { guard c > p; sync tick?; assign s += c, c = 0; }; }
        process Clk() { state T, U; init T;
            trans T -> U { select k : pos_t, j : lvl_t; guard k % 2 == 0 && j == 2; sync tick!;
                           assign s = k * 10 + j; }; }
        C2(const lvl_t l) = Cell(2, l, grid[2][l]);
        C4(const lvl_t a) = Cell(4, a, grid[4][a]);
        system C2, Clk, C4;''', {
            'E<> s == 30': True, 'E<> s == 50': True, 'A[] s == 0 or s == 30 or s == 50': True,
            'A[] Clk.U imply (C2(2).B and C4(2).B and C2(0).A and C4(1).A)': True}),
    'scalars as processes, indices, channels and selects': ('''
        typedef scalar[3] sid; int[0,1] used[sid]; clock x[sid]; chan go[sid]; int[0,3] n;
        process P(sid me) { state I, W { x[me] <= 5 }, D; init I;
            trans I -> W { guard used[me] == 0; assign used[me] = 1, x[me] = 0, n++; },
                  W -> D { guard x[me] >= 3; sync go[me]!; assign n--; }; }
        process R() { sid last; state S; init S;
            trans S -> S { select k : sid; sync go[k]?; assign last = k; }; }
        system P, R;''', {
            'E<> forall (i : sid) P(i).D': True, 'A[] n == sum (i : sid) P(i).W': True,
            'A[] deadlock imply forall (i : sid) P(i).D': True, 'E<> deadlock': True}),
    'committed steps with clock guards, clocks set to what was just computed': ('''
        clock x, y; int[0,5] n; chan c; broadcast chan b;
        process P() { state A { x <= 4 }, C1, C2, C3, D; commit C1, C2, C3; init A;
            trans A -> C1 { guard x >= 2; assign y = n + 3; },
                  C1 -> C2 { guard x > 3; sync c!; assign x = n * 2 + 1; },
                  C1 -> C3 { guard x <= 3; sync b!; },
                  C2 -> D { guard y == 3 && x == 1; },
                  C3 -> D { guard y - x <= 1; assign n = 2; },
                  D -> A { guard y >= 3 && n < 5; assign n++, x = (n > 2 ? n - 2 : 0); }; }
        process Q() { state A, B; init A;
            trans A -> B { sync c?; assign n = 4; }, B -> A { sync b?; },
                  A -> A { sync b?; assign n = 1; }; }
        system P, Q;''', {
            'E<> P.D and n == 4 and Q.B': True, 'E<> P.C2 and x == 1 and y == 3': True,
            'E<> P.D and n == 2': True, 'E<> P.A and n == 5 and x == 3 and y == 3': True,
            'E<> P.A and n == 5 and x == 2': False, 'E<> P.A and n == 3 and x == 1': True,
            'E<> P.C1 and y == 8': True, 'A<> P.D': True}),
    'invariants with conditions on data, which others change': ('''
        int[0,5] k; bool ok = true; clock x;
        process P() { state A { x <= 10 && k < 3 && (not ok || x <= 4) }, B { ok || k == 0 };
            init A;
            trans A -> A { guard x >= 1; assign k++, x = 0; },
                  A -> B { guard x >= 4; assign k = 0; }, B -> A { assign x = 0; }; }
        process Q() { state Z, W; init Z; trans Z -> W { guard k == 2; assign ok = false; }; }
        system P, Q;''', {
            'E<> k == 3': False, 'E<> P.A and k == 2 and x == 4': True,
            'E<> P.A and x > 4 and ok': False, 'E<> P.A and x == 10': True,
            'E<> P.B and not ok': True, 'A[] P.B imply k == 0': True, 'E<> deadlock': False,
            'sup{P.A}: x': [[(10, 1)]], 'sup{P.A and ok}: x, k': [[(4, 1)], [(2, 1)]]}),
    'clocks of an array that begin with numbers': ('''
        clock z[3] = {1, 2, 0};
        process P() { state A { z[1] <= 4 }, B; init A;
            trans A -> B { guard z[1] - z[2] == 2 && z[0] >= 3; }; }
        system P;''', {
            'E<> P.B and z[2] == 2': True, 'E<> P.B and z[2] < 2': False,
            'sup{P.A}: z[0], z[1], z[2]': [[(3, 1)], [(4, 1)], [(2, 1)]]}),
    'priorities of channels before those of processes': ('''
        chan lo, hi; broadcast chan mid; int[0,9] o; clock x;
        chan priority lo < mid < default < hi;
        process S(const int n) { state A, B; init A; trans A -> B { sync lo!; assign o = n; }; }
        process T() { state A, B; init A; trans A -> B { guard x >= 2; sync hi!; }; }
        process U() { state A, B; init A; trans A -> B { guard x >= 1; }; }
        process R() { state A, B, C; init A; trans A -> B { sync lo?; }, A -> C { sync hi?; }; }
        process M() { state A, B; init A; trans A -> B { guard x >= 3; sync mid!; }; }
        S1 = S(1); S2 = S(2);
        system S1 < S2, T, U, R, M;''', {
            'E<> o == 1': True, 'E<> o == 2': True, 'E<> S2.B and x < 1': True,
            'E<> T.B and U.A': True, 'E<> R.B and T.B': False, 'E<> M.B and U.A': False,
            'E<> M.B and R.A': False, 'E<> R.B and T.A and M.B': True}),
    'constants of a query are larger than those of the model': ('''
        clock x, y;
        process P() { state A, B; init A;
            trans A -> A { guard x >= 1 && x <= 2; assign x = 0; }, A -> B { guard x > 2; }; }
        system P;''', {
            'E<> P.A and x == 9': True, 'E<> y == 11 and x == 2': True,
            'E<> P.B and y == 7 and x < 3': True, 'E<> P.B and x - y == 1': False,
            'E<> P.B and y - x == 9': True, 'E<> y > 10 and y < 11 and x > 9 and x < 10': True,
            'E<> P.B and y == 5 and x == 6': False, 'P.B --> y == 8': False,
            'sup{P.A and y <= 7}: x': [[(7, 1)]], 'inf{P.B and x >= 6}: y': [[(6, 1)]]}),
    'who receives a broadcast depends on clocks': ('''
        clock x; broadcast chan c; bool on = true;
        process S() { state A { x <= 6 }, B; init A; trans A -> B { sync c!; }; }
        process R(const int[0,2] i) { state I, J; init I;
            trans I -> J { guard x > i && x <= i + 3; sync c?; }; }
        process Q() { state Z, W; init W; trans Z -> W { guard x >= 1; sync c?; }; }
        process T() { state I, J { x < 5 }; init I; trans I -> J { guard x >= 4 && on; sync c?; }; }
        process U() { state I, J; init I; trans I -> J { assign on = false; }; }
        system S, R, Q, T, U;''', {
            'E<> S.B and R(0).J and R(1).J and R(2).J': True,
            'E<> S.B and R(0).I and R(1).I and R(2).I and T.I': True,
            'E<> S.B and R(0).J and R(1).I': True,
            'E<> S.B and R(0).I and R(1).J and R(2).I': False,
            'E<> S.B and R(0).I and R(1).I and R(2).J and T.J': True,
            'E<> S.B and R(1).I and R(2).J and T.I and U.J': True,
            'E<> S.B and R(1).I and R(2).J and T.I and U.I': False,
            'A[] S.B and T.J imply x < 5': True, 'E<> deadlock and S.A': False,
            'E<> S.A and x == 6 and U.I': True, 'A<> S.B': True, 'sup{S.A}: x': [[(6, 1)]]}),
    'a receiver that must take part and cannot': ('''
        clock x; broadcast chan c;
        process S() { state A { x <= 6 }, B; init A; trans A -> B { sync c!; }; }
        process R() { state I, J; init I; trans I -> J { guard x > 1 && x <= 3; sync c?; }; }
        process T() { state I, J { x < 5 }; init I; trans I -> J { guard x >= 4; sync c?; }; }
        system S, R, T;''', {
            'E<> deadlock and S.A': True, 'E<> deadlock and S.A and x < 5': False,
            'E<> deadlock and S.A and x == 5': True, 'A<> S.B': False, 'E[] S.A': True,
            'E<> S.B and R.J and T.J': False, 'E<> S.B and R.I and T.I': True,
            'E<> S.B and R.I and T.J': True, 'x >= 5 and S.A --> S.B': False}),
}
