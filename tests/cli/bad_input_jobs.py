"""Malformed workloads, machines and options: table entries for test_bad_input.py."""

from __future__ import annotations

from bad_input import GRAPH, MACHINE, MTX, RING, Bad, line, on_machine, workload


def json_workloads() -> list[Bad]:
    def message(name: str, text: str, *pieces: str) -> Bad:
        return Bad(f"json {name}", workload(), RING.replace("[1, 2, 5]", text), line(5), list(pieces))

    def head(name: str, old: str, new: str, number: int, *pieces: str) -> Bad:
        return Bad(f"json {name}", workload(), RING.replace(old, new), line(number), list(pieces))

    return [
        message("rank out of range", "[1, 4, 5]", "sets[0].messages[1]", "rank 4 is outside 0..3"),
        message("negative rank", "[1, -1, 5]", "-1"),
        message("negative size", "[1, 2, -5]", "-5"),
        message("size of 2^63", "[1, 2, 9223372036854775808]", "9223372036854775808", "2^48"),
        message("size of 2^48 + 1", "[1, 2, 281474976710657]", "281474976710657", "2^48"),
        message("size of 1e400", "[1, 2, 1e400]", "'1e400' is too large"),
        message("fraction", "[1, 2, 1.5]", "'1.5'"),
        message("NaN", "[1, 2, NaN]", "not valid JSON", "N'"),
        message("infinity", "[1, 2, -Infinity]", "not valid JSON", "-I'"),
        message("two numbers", "[1, 2]", "found only 2 numbers"),
        message("four numbers", "[1, 2, 5, 6]", "6"),
        message("text for a rank", '["1", 2, 5]', "text '1'"),
        message("deep message", "[1, 2, " + "[" * 100_000, "found a list"),
        message("number of 3 MB", f"[1, 2, {'1' * 3_000_000}]", "is too large"),
        head("1e18 ranks", '"ranks": 4', '"ranks": 1000000000000000000', 2, "1000000000000000000"),
        head("duplicate key", '"ranks": 4', '"ranks": 4, "ranks": 4', 2, "duplicate key 'ranks'"),
        head("unknown key", '"ranks": 4', '"rnks": 4', 2, "'rnks'", "did you mean 'ranks'?"),
        head(
            "2^63 iterations", '"ranks": 4', '"ranks": 4, "iterations": 9223372036854775808', 2, "9223372036854775808"
        ),
        head("other schema", "workload/1", "workload/2", 1, "haichi-workload/2"),
        head("time of 1e400", '"messages"', '"compute_seconds": 1e400, "messages"', 3, "1e400"),
        head("negative time", '"messages"', '"compute_seconds": -1, "messages"', 3, "-1"),
        Bad("json truncated", workload(), RING[:-20], line(6), ["unexpected end of input"]),
        Bad("json and more", workload(), RING + "x", line(8), ["x'"]),
        Bad("json not UTF-8", workload(), RING.replace('"ranks"', '"r\xff"').encode("latin1"), line(2), ["\\xff"]),
        Bad("json with BOM", workload(), b"\xef\xbb\xbf" + RING.replace("3, 0", "3, 9").encode(), line(7), ["rank 9"]),
        Bad("json endless string", workload(), '{"schema": "' + "x" * 3_000_000, line(1), ["missing closing quote"]),
        Bad("more ranks than nodes", workload(), RING.replace('"ranks": 4', '"ranks": 5'), "5 ranks", ["4 nodes"]),
    ]


def text_workloads() -> list[Bad]:
    def edges(name: str, text: str, number: int, *pieces: str) -> Bad:
        return Bad(f"edge list {name}", workload(), text, line(number), list(pieces))

    def dense(name: str, text: str, number: int, *pieces: str) -> Bad:
        return Bad(f"dense matrix {name}", workload(), text, line(number), list(pieces))

    def market(name: str, text: str, number: int, *pieces: str) -> Bad:
        return Bad(f"Matrix Market {name}", workload(), text, line(number), list(pieces))

    def qaplib(name: str, text: str, number: int, *pieces: str) -> Bad:
        return Bad(f"QAPLIB {name}", workload("bad", "--workload-format", "qaplib"), text, line(number), list(pieces))

    other = "inside a line"
    return [
        edges("row truncated", "0,1,5\n1,2\n", 2, "found only 2 fields"),
        edges("negative size", "0\t1\t5\n1\t2\t-5\n", 2, "'-5'"),
        edges("negative rank", "0,1,5\n1,-2,5\n", 2, "'-2'"),
        edges("size of 2^63", "0,1,5\n1,2,9223372036854775808\n", 2, "'9223372036854775808'"),
        edges("size of 2^48 + 1", "0,1,5\n1,2,281474976710657\n", 2, "'281474976710657'"),
        edges("size of 1e400", "0,1,5\n1,2,1e400\n", 2, "'1e400'"),
        edges("NaN", "0,1,5\n1,2,NaN\n", 2, "'NaN'"),
        edges("infinity", "0,1,5\n1,2,inf\n", 2, "'inf'"),
        edges("rank of 1e18", "0,1,5\n1,1000000000000000000,5\n", 2, "'1000000000000000000'"),
        edges("1e18 ranks", "# ranks 1000000000000000000\n0,1,5\n", 1, "'1000000000000000000'"),
        edges("rank beyond those declared", "# ranks 2\n0,1,5\n1,2,5\n", 3, "'2' is outside 0..1"),
        edges("set of 1e18", "0,1,5,0\n1,2,5,1000000000000000000\n", 2, "'1000000000000000000'"),
        edges("empty field", "0,1,5\n1,,5\n", 2, "field is empty"),
        edges("columns exchanged", "dst,src,bytes\n0,1,5\n", 1, "'dst'"),
        edges("hexadecimal", "0\t1\t5\n1\t2\t0x10\n", 2, "'0x10'"),
        edges("CR alone", "0,1,5\r1,2,5\r", 1, other),
        edges("CR alone after a comment", "# ranks 4\r0,1,5\r1,2,5\r", 1, other),
        edges("CR in the middle", "0,1,5\n# a\r1,2,5\n", 2, other),
        dense("row truncated", "0,1,2,3,4\n0,1,2\n", 2, "row 2 has 3 numbers"),
        dense("rows missing", "0 1 2 3 4\n", 1, "after 1 of 5 rows"),
        dense("one of 40 GB promised", " ".join(["0"] * 200_000) + "\n", 1, "after 1 of 200000 rows"),
        dense("negative size", "0 1\n-1 0\n", 2, "'-1'"),
        dense("size of 1e400", "0 1\n1e400 0\n", 2, "'1e400'"),
        dense("NaN", "0 1\nnan 0\n", 2, "'nan'"),
        dense("word", "0 1\nx 0\n", 2, "'x'"),
        dense("CR alone", "0 1\r1 0\r", 1, other),
        market("1e18 rows", MTX + "1000000000000000000 1000000000000000000 1\n", 2, "'1000000000000000000'"),
        market("1e18 entries", MTX + "4 4 1000000000000000000\n1 2 5\n", 2, "'1000000000000000000'"),
        market("5e8 entries", MTX + "4 4 500000000\n1 2 5\n", 3, "expected 500000000 entries, found 1"),
        market(
            "too many entries", MTX + "4 4 1\n1 2 5\n2 3 5\n", 4, "the size line states 1 entry, but the file has more"
        ),
        market("not square", MTX + "4 5 1\n1 2 5\n", 2, "4 x 5"),
        market("row 0", MTX + "4 4 1\n0 1 5\n", 3, "'0' is outside 1..4"),
        market("column out of range", MTX + "4 4 1\n1 5 5\n", 3, "'5' is outside 1..4"),
        market("negative size", MTX + "4 4 1\n1 2 -5\n", 3, "'-5'"),
        market("size of 2^63", MTX + "4 4 1\n1 2 9223372036854775808\n", 3, "'9223372036854775808'"),
        market("NaN", MTX + "4 4 1\n1 2 nan\n", 3, "'nan'"),
        market("truncated", MTX, 1, "ends before the size"),
        market("complex", MTX.replace("integer", "complex") + "4 4 1\n1 2 5 5\n", 1, "'complex'"),
        market(
            "array of 2^48 entries", "%%MatrixMarket matrix array integer general\n16777216 16777216\n1\n", 3, "(2, 1)"
        ),
        qaplib("of size 1e18", "1000000000000000000\n0 1\n", 1, "'1000000000000000000'"),
        qaplib("of size 2^24", "16777216\n0 1\n", 2, "the first matrix of 16777216 x 16777216"),
        qaplib("truncated", "4\n0 1 2\n", 2, "ends in row 1"),
        qaplib("of negative size", "-2\n0 1\n1 0\n", 1, "'-2'"),
        qaplib("with a word", "2\n0 1\n1 x\n", 3, "'x'"),
        qaplib("with 1e400", "2\n0 1e400\n1 0\n0 1\n1 0\n", 2, "'1e400'"),
        qaplib("and more", "2\n0 1\n1 0\n0 1\n1 0\n5\n", 6, "2 x 2 numbers, found '5'"),
        qaplib("CR alone", "2\r0 1 1 0\r0 1 1 0\r", 1, other),
    ]


def machine_names() -> list[Bad]:
    def named(machine: str, start: str, *more: str) -> Bad:
        return Bad(f"{machine} {' '.join(more)}"[:60], on_machine(machine, *more), None, start)

    return [
        named("mesh:1000000000x1000000000", "machine mesh:1000000000x1000000000: '1000000000' has more than 9 digits"),
        named("mesh:999999999x999999999", "a topology has at most 8388608 nodes, not 999999999x999999999"),
        named("fattree:9x9", "a topology has at most 8388608 nodes and switches; a fat tree with 9,9,9,9,9,9,9,9,9"),
        named("fattree:999999999x2", "machine 'fattree:999999999x2' has more than 32 levels"),
        named("dragonfly:2,4", "machine 'dragonfly:2,4' requires terminals per router"),
        named("dragonfly:2x4x2", "machine dragonfly:2x4x2 requires whole numbers joined by ','"),
        named(
            "dragonfly:9999,9999,9999", "a topology has at most 8388608 nodes and switches, fewer than in a dragonfly"
        ),
        named("dragonfly:2,4,2", "routing 's-mod-k' does not fit a dragonfly", "--routing", "s-mod-k"),
        named(
            "fattree:2x2",
            "routing 'down-straight' does not fit a tree\nhint: use its present name 'd-mod-k'",
            "--routing",
            "down-straight",
        ),
        named("torus:0x4", "axis X has size 0"),
        named("torus:-2x2", "machine torus:-2x2 requires whole numbers"),
        named("torus:" + "2x" * 12 + "2", "machine torus:2x2x2x2x2x2x2x2x2x2x2x2x2 has more than 12 numbers"),
        named("fx10:4x4x4:W", "machine 'fx10:4x4x4:W': invalid wrapped axis 'W'"),
        named("fx10:4x4x4:XX", "machine 'fx10:4x4x4:XX': duplicate wrapped axis 'X'"),
        named(
            "fx10",
            "a topology has at most 8388608 nodes, not 999999999x999999999",
            "--shape",
            "999999999x999999999x1x2x3x2",
        ),
        named("fx10", "the size of machine fx10 is not known"),
        named("tours:2x2", "unknown machine 'tours:2x2'\nhint: did you mean 'torus'?"),
        named("mesh:2x2", "shape 3x2 does not fit machine mesh:2x2", "--shape", "3x2"),
        named(
            "mesh:2x2",
            "shape 2x2 at origin 1x1 does not fit machine mesh:2x2: axis X does not wrap",
            "--shape",
            "2x2",
            "--origin",
            "1x1",
        ),
        named("mesh:2x2", "--ppn: '0' is too small", "--ppn", "0"),
        named("mesh:2x2", "--ppn: must not be negative, found '-1'", "--ppn", "-1"),
        named("mesh:2x2", "--ppn: '9223372036854775808' is too large", "--ppn", "9223372036854775808"),
        named("mesh:2000x2000", "4000000 nodes with 1048576 ranks each exceed", "--ppn", "1048576"),
        named("fattree:2x2000", "4000000 nodes with 1048576 ranks each exceed", "--ppn", "1048576"),
        named("mesh:2x2", "routing order 'XX' leaves out axis Y", "--routing", "dor:XX"),
        named("mesh:2x2", "--restarts: '2000000' is too large", "--restarts", "2000000"),
        named("mesh:2x2", "--evaluations: must not be negative, found '-1'", "--evaluations", "-1"),
        named("mesh:2x2", "--threads: '0' is too small", "--threads", "0"),
        named("mesh:2x2", "--time: unsupported exponent in time '1e400s'", "--time", "1e400s"),
        named("mesh:2x2", "--smoothing: expected a number, found 'nan'", "--smoothing", "nan"),
        named("mesh:2x2", "--message-size: '281474976710657' is too large", "--message-size", "281474976710657"),
        named("mesh:2x2", "invalid weight '1e400' in 'weighted(tac3=1e400)'", "--objective", "weighted(tac3=1e400)"),
        named("mesh:2x2", "--require: expected a number, found 'nan'", "--require", "tac3_seconds<=nan"),
        named("mesh:2x2", "--hosts: expected at most 4 names, found more", "-f", "slurm", "--hosts", "n[0-999999999]"),
        named("mesh:2x2", "--hosts: the range '3-0' is descending", "-f", "slurm", "--hosts", "n[3-0]"),
        named("mesh:2x2", "--hosts: brackets do not match in 'n[0-3'", "-f", "slurm", "--hosts", "n[0-3"),
        named("mesh:2x2", "--hosts: duplicate host name 'n1'", "-f", "slurm", "--hosts", "n[1,1,2,3]"),
    ]


def machine_files() -> list[Bad]:
    def changed(name: str, old: str, new: str, number: int, *pieces: str) -> Bad:
        start = f"./bad:{number}: "
        return Bad(f"machine {name}", on_machine("./bad"), MACHINE.replace(old, new), start, list(pieces))

    size = '"size": 2}'
    link = '"5GB/s"}'
    return [
        changed("size of 1e9", size, '"size": 1000000000}', 3, "'1000000000'"),
        changed("negative size", size, '"size": -2}', 3, "'-2'"),
        changed("size of 2^63", size, '"size": 9223372036854775808}', 3, "'9223372036854775808'"),
        changed("size of 1e400", size, '"size": 1e400}', 3, "'1e400' is too large"),
        changed("fraction", size, '"size": 2.5}', 3, "'2.5'"),
        changed("text for a size", size, '"size": "2"}', 3, '"2"'),
        changed("of 16777216 nodes", size, '"size": 8388608}', 2, "not 2x8388608"),
        changed("text for wraps", "true", '"yes"', 2, '"yes"'),
        changed("wrap on a mesh", '"torus"', '"mesh"', 2, "unknown key 'wraps'"),
        changed("axis twice", '"Y"', '"X"', 3, "duplicate axis name 'X'"),
        changed("number for a bandwidth", '"5GB/s"', "5e9", 4, "must be a string"),
        changed("negative bandwidth", "5GB/s", "-5GB/s", 4, "'-5GB/s'"),
        changed("bandwidth without time", "5GB/s", "5GB", 4, "'5GB'"),
        changed(
            "bandwidth of 2^63 TB/s", "5GB/s", "9223372036854775808TB/s", 4, "'9223372036854775808TB/s' is too large"
        ),
        changed("NaN", '"5GB/s"', "NaN", 4, "not valid JSON"),
        changed("duplicate key", link, link + ', "link": {}', 4, "duplicate key 'link'"),
        changed("unknown key", link, '"5GB/s", "bandwdth": 1}', 4, "'bandwdth'", "did you mean 'bandwidth'?"),
        changed("faulty node out of range", link, link + ', "faulty": [4]', 4, "'4'"),
        changed("faulty node twice", link, link + ', "faulty": [0, 0]', 4, "duplicate faulty node '0'"),
        changed("slots of 1e12", link, link + ', "node": {"slots": 1000000000000}', 4, "'1000000000000'"),
        changed("deep list", link, link + ', "faulty": ' + "[" * 100_000, 4, "nested deeper than 64"),
        changed("number of 3 MB", link, link + f', "faulty": [{"1" * 3_000_000}]', 4, "is too large"),
        changed("string of 3 MB", link, link + f', "name": "{"x" * 3_000_000}', 4, "xxx}"),
        changed("half a surrogate", link, link + ', "name": "\\ud800"', 4, "surrogate"),
        changed("logical axis missing", '"axes"', '"logical": [["X"]], "axes"', 2, "'Y' is missing"),
        changed("other schema", "machine/1", "machine/9", 1, "'haichi-machine/9'"),
        Bad("machine truncated", on_machine("./bad"), MACHINE[:60], "./bad:2: ", ["unexpected end of input"]),
        Bad(
            "machine not UTF-8",
            on_machine("./bad"),
            MACHINE.replace("torus", "t\xfcrus").encode("latin1"),
            "./bad:2: ",
            ["ill-formed UTF-8", "\\xfc"],
        ),
        Bad(
            "machine with BOM", on_machine("./bad"), b"\xef\xbb\xbf" + MACHINE[:-5].encode(), "./bad:4: ", ["not valid"]
        ),
        Bad(
            "tree of 1e10 nodes",
            on_machine("./bad"),
            '{"schema": "haichi-machine/1", "topology": {"kind": "tree",\n "children": [100000, 100000]},\n'
            '"link": {"bandwidth": "5GB/s"}}',
            "./bad:2: ",
            ["100000,100000"],
        ),
    ]


def graph_files() -> list[Bad]:
    def changed(name: str, old: str, new: str, number: int, *pieces: str) -> Bad:
        text = GRAPH.replace(old, new).encode("latin1")
        return Bad(f"graph {name}", on_machine("graph:bad"), text, line(number), list(pieces))

    return [
        changed("negative bandwidth", "5GB/s", "-5GB/s", 6, "'-5GB/s'"),
        changed("bandwidth NaN", "5GB/s", "NaN", 6, "'NaN'"),
        changed("bandwidth of 1e400", "5GB/s", "1e400", 6, "'1e400'"),
        changed("bandwidth of 2^63", "5GB/s", "9223372036854775808", 6, "'9223372036854775808'"),
        changed("edge to nowhere", 'target="b"', 'target="c"', 6, "'c'"),
        changed("edge to itself", 'target="b"', 'target="a"', 6, "'a' to itself"),
        changed("node twice", 'id="b"/>\n<edge', 'id="a"/>\n<edge', 5, "duplicate node 'a' on lines 4 and 5"),
        changed("entities", "<graphml>", '<!DOCTYPE x [<!ENTITY a "b">]><graphml>', 1, "<!DOCTYPE"),
        changed("not UTF-8", 'id="b"/>\n<e', 'id="\xff"/>\n<e', 5, "\\xff"),
        changed("second graph", "</graph>", '</graph><graph edgedefault="directed"/>', 7, "duplicate <graph>"),
        changed("attribute twice", 'id="a"', 'id="a" id="a"', 4, "duplicate attribute near"),
        changed(
            *("of 525000 nodes", '<node id="b"/>', "".join(f'<node id="n{i}"/>\n' for i in range(525_000))),
            *(524_292, "524288"),
        ),
        changed("deep", "<graph ", "<a>" * 100_000 + "<graph ", 3, "deeper than 64"),
        changed("tag of 9000 attributes", "<graph ", "<graph " + "".join(f'a{i}="" ' for i in range(9_000)), 3, "256"),
        changed("name of 3 MB", "<graphml>", f"<{'a' * 3_000_000}>", 1, "XML of an unknown kind"),
        Bad("graph truncated", on_machine("graph:bad"), GRAPH[:100], line(3), ["unclosed token near"]),
    ]
