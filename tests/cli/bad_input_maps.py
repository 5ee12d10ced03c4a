"""Malformed rank maps and lists of nodes: table entries for test_bad_input.py."""

from __future__ import annotations

from bad_input import EVALUATE, FOLD, FUJITSU, JSON_MAP, Bad, convert_hosts, line, on_mesh


def maps() -> list[Bad]:
    def bad(form: str, name: str, text: str | bytes, start: str, *pieces: str) -> Bad:
        return Bad(f"{form} map {name}", convert_hosts(form), text, start, list(pieces))

    def json_map(name: str, old: str, new: str, number: int, *pieces: str) -> Bad:
        return bad("json", name, JSON_MAP.replace(old, new), line(number), *pieces)

    other = "inside a line"
    return [
        bad("fujitsu", "two ranks on a node", "(0,0)\n(1,0)\n(1,0)\n", line(3), "rank 2 does not fit on node (1,0)"),
        bad("fujitsu", "node out of range", "(0,0)\n(2,0)\n", line(2), "'(2,0)'", "2x2"),
        bad("fujitsu", "negative", "(0,0)\n(-1,0)\n", line(2), "'-1'"),
        bad("fujitsu", "of 2^63", "(0,0)\n(9223372036854775808,0)\n", line(2), "'9223372036854775808'"),
        bad("fujitsu", "truncated", "(0,0)\n(1,0", line(2), "'(1,0'"),
        bad("fujitsu", "other dimension", "(0,0)\n(1)\n", line(2), "'(1)' has 1 coordinate"),
        bad("fujitsu", "blank line", "(0,0)\n\n(1,0)\n", line(2), "blank line"),
        bad("fujitsu", "CR alone", FUJITSU.replace("\n", "\r"), line(1), "(0,0)\\x0d(1,0)"),
        bad("fujitsu", "with BOM", b"\xef\xbb\xbf(0,0)\n", line(1), "\\xef\\xbb\\xbf"),
        bad("fujitsu", "too long", "(0,0)\n" * 5, "bad: 5 lines", "4 rank slots"),
        bad("tofu6d", "node out of range", "0 0\n0 2\n", line(2), "'2' is too large"),
        bad("tofu6d", "negative", "0 0\n0 -1\n", line(2), "'-1'"),
        bad("tofu6d", "two ranks on a node", "0 0\n0 0\n", line(2), "rank 1 does not fit on node (0,0)"),
        bad("tofu6d", "truncated", "0 0\n0\n", line(2), "found '0'"),
        bad("tofu6d", "CR alone after a comment", "# c\r0 0\r0 1\r", line(1), other),
        bad("nsim", "duplicate rank", "0 0 0\n0 0 1\n", line(2), "duplicate rank 0, first on line 1"),
        bad("nsim", "rank missing", "0 0 0\n2 0 1\n", "bad: rank 1 has no record"),
        bad("nsim", "rank of 1e18", "0 0 0\n1000000000000000000 0 1\n", line(2), "'1000000000000000000'"),
        bad("nsim", "two ranks on a node", "0 0 0\n1 0 0\n", line(2), "rank 1 does not fit on node (0,0)"),
        bad(
            "bgq", "two ranks on one slot", "0 0 0 0 0 0\n" * 2, line(2), "duplicate T 0 of node (0,0), first on line 1"
        ),
        bad("bgq", "slot out of range", "0 0 0 0 0 1\n", line(1), "invalid T: 1 (a node has the rank slots 0..0)"),
        bad("bgq", "node out of range", "2 0 0 0 0 0\n", line(1), "invalid coordinate in column 1: 2"),
        bad("bgq", "words", "a b c d e f\n", line(1), "'a'"),
        bad("bgl", "partition not covered", "0 0 0 0\n", "bad: 1 record for 4 ranks"),
        bad("bgl", "two ranks on one slot", "0 0 0 0\n0 1 0 0\n0 1 0 0\n0 0 0 0\n", line(3), "first on line 2"),
        bad("csv", "no header", "0,0\n1,1\n", line(1), "the header rank,node, found '0,0'"),
        bad("csv", "duplicate rank", "rank,node\n0,0\n0,1\n", line(3), "duplicate rank 0, first on line 2"),
        bad("csv", "rank missing", "rank,node\n0,0\n2,1\n", "bad: rank 1 has no line"),
        bad("csv", "node out of range", "rank,node\n0,4\n", line(2), "invalid node: 4", "nodes 0..3"),
        bad("csv", "negative", "rank,node\n0,-1\n", line(2), "'-1'"),
        bad("csv", "of 2^63", "rank,node\n0,9223372036854775808\n", line(2), "'9223372036854775808'"),
        bad("csv", "rank of 1e18", "rank,node\n1000000000000000000,0\n", line(2), "'1000000000000000000'"),
        bad("csv", "two ranks on a node", "rank,node\n0,0\n1,0\n", line(3), "rank 1 does not fit on node (0,0)"),
        bad("csv", "three columns", "rank,node\n0,0,1\n", line(2), "'0,0,1'"),
        bad("csv", "truncated", "rank,node\n0,0\n1", line(3), "'1'"),
        bad("csv", "blanks", "rank,node\n0, 0\n", line(2), "'0, 0'"),
        bad("csv", "header twice", "rank,node\n0,0\nrank,node\n", line(3), "'node'"),
        bad("csv", "CR alone", "rank,node\r0,0\r", line(1), other),
        bad("csv", "header alone", "rank,node\n", "bad: 0 lines: no rank is placed"),
        bad("cray", "duplicate rank", "0,1,2,2\n", line(1), "duplicate rank 2, first on line 1"),
        bad("cray", "range of 1e12", "0-999999999999\n", line(1), "'999999999999' is too large"),
        bad("cray", "empty entry", "0,1,,3\n", line(1), "',3'"),
        bad("cray", "rank missing", "0,2\n", "bad: rank 1 has no position"),
        bad(
            "openmpi",
            "duplicate rank",
            "rank 0=n0 slot=0\nrank 0=n1 slot=0\n",
            line(2),
            "duplicate rank 0, first on line 1",
        ),
        bad("openmpi", "two ranks on one slot", "rank 0=n0 slot=0\nrank 1=n0 slot=0\n", line(2), "0"),
        bad("openmpi", "unknown host", "rank 0=n9 slot=0\n", line(1), "'n9'"),
        bad("openmpi", "rank of 1e18", "rank 1000000000000000000=n0 slot=0\n", line(1), "'1000000000000000000'"),
        bad("openmpi", "open comment", "/* x\nrank 0=n0 slot=0\n", line(1), "/*"),
        bad("slurm", "two ranks on a node", "n0\nn0\n", line(2), "rank 1 does not fit on node"),
        bad("slurm", "unknown host", "n0\nn9\n", line(2), "'n9'"),
        bad("slurm", "1e12 ranks on a host", "n0*1000000000000\n", line(1), "1000000000000"),
        bad("slurm", "range of 1e9", "n[0-999999999]\n", line(1)),
        bad("slurm", "CR alone after a comment", "# c\rn0\rn1\r", line(1), other),
        bad("hydra", "2^63 ranks on a host", "n0:9223372036854775808\n", line(1), "'9223372036854775808'"),
        bad("hydra", "negative count", "n0:-1\n", line(1), "'-1'"),
        bad("intel", "1e9 ranks on a host", "n0:1000000000\n", "bad: 1000000000 ranks", "only 4 rank slots"),
        bad("simgrid", "unknown host", "n0\n\nn7\n", line(3), "'n7'"),
        json_map("two ranks on a node", "2, 3", "2, 2", 4, "rank 3 does not fit on node (1,0)"),
        json_map("node out of range", "2, 3", "2, 4", 4, "node_of_rank[3]: 4", "nodes 0..3"),
        json_map("negative", "2, 3", "2, -1", 4, "-1"),
        json_map("of 2^63", "2, 3", "2, 9223372036854775808", 4, "9223372036854775808"),
        json_map("of 1e400", "2, 3", "2, 1e400", 4, "'1e400' is too large"),
        json_map("fraction", "2, 3", "2, 1.5", 4, "1.5"),
        json_map("text", "2, 3", '2, "3"', 4, "'3'"),
        json_map("NaN", "2, 3", "2, NaN", 4, "not valid JSON"),
        json_map("too few", "2, 3", "2", 2, "ranks is 4, but node_of_rank has 3"),
        json_map("1e18 ranks", '"ranks": 4', '"ranks": 1000000000000000000', 2, "1000000000000000000"),
        json_map("duplicate key", '"ranks": 4', '"ranks": 4, "ranks": 4', 2, "duplicate key 'ranks'"),
        json_map("other schema", "mapping/1", "mapping/2", 1, "'haichi-mapping/2'"),
        json_map("deep list", "2, 3", "2, " + "[" * 100_000, 4, "found a list"),
        json_map("number of 3 MB", "2, 3", "2, " + "9" * 3_000_000, 4, "is too large"),
        bad("json", "not UTF-8", JSON_MAP.replace("mapping", "m\xff").encode("latin1"), line(1), "UTF-8", "\\xff"),
        bad("json", "endless string", '{"x": "' + "y" * 3_000_000, line(1), "missing closing quote"),
        bad("json", "truncated", JSON_MAP[:60], line(3), "unexpected end of input"),
        bad("json", "with BOM", b"\xef\xbb\xbf" + JSON_MAP.replace("3]", "9]").encode(), line(4), "node_of_rank[3]: 9"),
        Bad("map of another job", EVALUATE, "(0,0,0)\n", line(1), ["'(0,0,0)'"]),
        Bad("map of a few ranks", EVALUATE, "(0,0)\n(0,1)\n", "bad: 2 lines for 4 ranks"),
        *[
            Bad(
                f"{form} map of 2^42 slots",
                ["convert", "-m", "mesh:2000x2000", "--ppn", "1048576", "--map", "bad", "-f", form, "-t", "json"],
                "0 0 0 0 0 0\n",
                "4000000 nodes with 1048576 ranks each",
            )
            for form in ["bgq", "bgl", "tofu6d", "cray", "json"]
        ],
    ]


def lists() -> list[Bad]:
    def bad(name: str, command: list[str], text: str | bytes, number: int, *pieces: str) -> Bad:
        return Bad(name, command, text, f"./bad:{number}: ", list(pieces))

    nodes = on_mesh("--nodes")
    fold = on_mesh("--fold")
    hosts = on_mesh("--hosts", "-f", "slurm")
    names = "".join(f"n{i}\n" for i in range(16))
    other = "inside a line"
    return [
        bad("node list out of range", nodes, "0\n1\n2\n16\n", 4, "'16'"),
        bad("node list duplicate", nodes, "0\n1\n1\n2\n", 3, "duplicate node '1' on lines 2 and 3"),
        bad("node list negative", nodes, "0\n-1\n", 2, "'-1'"),
        bad("node list of 2^63", nodes, "9223372036854775808\n", 1, "'9223372036854775808'"),
        bad("node list coordinate out of range", nodes, "0 0\n0 4\n", 2, "Y: '4'"),
        bad("node list NaN", nodes, "nan\n", 1, "'nan'"),
        bad("node list with BOM", nodes, b"\xef\xbb\xbf0\n99\n", 2, "99"),
        bad("node list CR alone, as coordinates", nodes, "0\r1\r", 1, other),
        bad("node list CR alone after a comment", nodes, "# c\r0\r1\r", 1, other),
        bad("faulty node out of range", on_mesh("--faulty"), "0\n99\n", 2, "'99'"),
        bad("coordinate table truncated", fold, FOLD[:40], 4, "3 of the job's 16 nodes"),
        bad(
            "coordinate table duplicate position",
            fold,
            FOLD.replace("(3,3)", "(3,2)"),
            16,
            "duplicate logical coordinates (3,2) on lines 15 and 16",
        ),
        bad(
            "coordinate table duplicate node",
            fold,
            FOLD.replace("> 3 3", "> 3 2"),
            16,
            "duplicate node (3,2) on lines 15 and 16",
        ),
        bad("coordinate table node out of range", fold, FOLD.replace("> 3 3", "> 3 4"), 16, "(3,4)"),
        bad("coordinate table negative", fold, FOLD.replace("(3,3)", "(3,-3)"), 16, "'-3'"),
        bad("coordinate table hole", fold, FOLD.replace("(3,3)", "(8388608,8388608)"), 16, "8388609x8388609 has holes"),
        bad(
            "coordinate table of 2^63",
            fold,
            FOLD.replace("(3,3)", "(9223372036854775808,3)"),
            16,
            "'9223372036854775808'",
        ),
        bad("coordinate table columns", fold, FOLD.replace("(3,3)", "(3)"), 16, "found 3 columns"),
        bad("coordinate table CR alone", fold, FOLD.replace("\n", "\r"), 1, other),
        bad("host name twice", hosts, names.replace("n15", "n0"), 16, "duplicate host name 'n0', first on line 1"),
        bad("host name with a blank", hosts, names.replace("n3", "n 3"), 4, "'n 3'"),
        bad("host name that is none", hosts, names.replace("n3", "-n"), 4, "'-n'"),
        bad("host name of 300 letters", hosts, "x" * 300 + "\n", 1, "xxx...'"),
        bad("host name not UTF-8", hosts, b"n0\n\xff\n", 2, "\\xff"),
        bad("host names CR alone", hosts, names.replace("\n", "\r"), 1, other),
        Bad("host names too few", hosts, "n0\nn1\n", "./bad: 2 host names for the 16 nodes"),
        Bad("host names too many", hosts, "n0\n" * 1_000_000, "./bad: 1000000 host names for the 16 nodes"),
    ]
