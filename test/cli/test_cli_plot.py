#!/usr/bin/python3
"""`rigor plot`: the series that it draws against numpy, axes, conditions, texts as they are, files, refusals."""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import xml.dom.minidom

try:
    import numpy
except ImportError:
    numpy = None

import tap

HAS_GNUPLOT = shutil.which("gnuplot") is not None
needs_gnuplot = tap.unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
needs_numpy = tap.unittest.skipUnless(numpy, "numpy is not installed")


class Rows:
    """A sweep: three solvers, four steps, nine seeds; one run failed, one gave no number, some errors are 0."""

    names = ["solver", "step", "seed", "error", "speed", "status"]

    def __init__(self):
        self.rows = []
        for s, solver in enumerate(["quick", "pgs", "cone"]):
            for k, step in enumerate([0.01, 0.001, 0.002, 0.005]):
                for seed in range(9):
                    error = step ** (1 + 0.3 * s) * (1 + math.sin(7 * seed + k))
                    self.rows.append([solver, step, seed, error, 1 / step + seed, "ok"])
        self.rows[5][3:] = [1e9, 1e9, "failed: step 3"]
        self.rows[40][3] = math.nan
        self.rows[41][3] = 0.0
        self.rows[50][3] = -1.0

    def write(self, path):
        with open(path, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(self.names)
            out.writerows(self.rows)
        return path

    def values(self, column, **wanted):
        """Numbers of a column in rows with status ok and these cells."""
        at = {name: i for i, name in enumerate(self.names)}
        return [r[at[column]] for r in self.rows
                if r[at["status"]] == "ok" and all(r[at[k]] == v for k, v in wanted.items())]


class Numbers(tap.CommandTest):
    def setUp(self):
        super().setUp()
        self.rows = Rows()
        self.table = self.rows.write(self.folder / "t.csv")

    def finite(self, solver, step):
        return [e for e in self.rows.values("error", solver=solver, step=step) if math.isfinite(e)]

    @needs_numpy
    def test_spread_is_numpys_percentiles(self):
        got = self.json("plot", self.table, "--x", "step", "--y", "error", "--by", "solver")
        self.assertEqual([s["label"] for s in got["series"]], ["solver = quick", "solver = pgs", "solver = cone"])
        self.assertEqual(got["left_out"], {"failed": 1, "where": 0, "not_finite": 1, "not_positive": 0})
        for series in got["series"]:
            self.assertEqual(series["x"], [0.001, 0.002, 0.005, 0.01], "sorted by x")
            for x, y, low, high, rows in zip(*(series[k] for k in ("x", "y", "low", "high", "rows"))):
                values = self.finite(series["by"]["solver"], x)
                self.assertEqual(rows, len(values))
                for found, p in ((y, 50), (low, 10), (high, 90)):
                    self.assertTrue(math.isclose(found, numpy.percentile(values, p), rel_tol=1e-12, abs_tol=1e-15))

    @needs_numpy
    def test_each_way_to_take_rows(self):
        for take, twin in (("mean", numpy.mean), ("median", numpy.median), ("min", min), ("max", max)):
            with self.subTest(take):
                got = self.json("plot", self.table, "--x", "step", "--y", "error", "--by", "solver", "--take", take)
                for series in got["series"]:
                    for x, y, low, high in zip(series["x"], series["y"], series["low"], series["high"]):
                        self.assertTrue(math.isclose(y, twin(self.finite(series["by"]["solver"], x)), rel_tol=1e-12))
                        self.assertTrue(low == y == high)

    def test_all_keeps_every_row_in_its_order(self):
        got = self.json("plot", self.table, "--x", "step", "--y", "speed", "--take", "all", "--where", "solver=pgs")
        self.assertEqual(got["series"][0]["x"], self.rows.values("step", solver="pgs"))
        self.assertEqual(got["series"][0]["y"], self.rows.values("speed", solver="pgs"))
        self.assertEqual(got["style"], "points")

    def test_numbers_of_by_are_ordered(self):
        got = self.json("plot", self.table, "--x", "seed", "--y", "speed", "--by", "step,solver", "--where", "seed<3")
        keys = [(s["by"]["step"], s["by"]["solver"]) for s in got["series"]]
        self.assertEqual(keys, [(h, s) for h in (0.001, 0.002, 0.005, 0.01) for s in ("quick", "pgs", "cone")])
        self.assertEqual(got["series"][0]["label"], "step = 0.001, solver = quick")
        self.assertEqual(got["rows"], 36)

    def test_several_y(self):
        got = self.json("plot", self.table, "--x", "step", "--y", "error,speed", "--where", "seed=1")
        self.assertEqual([s["column"] for s in got["series"]], ["error", "speed"])
        self.assertEqual([s["label"] for s in got["series"]], ["error", "speed"])

    def test_texts_on_x_in_the_order_of_their_appearance(self):
        got = self.json("plot", self.table, "--x", "solver", "--y", "speed", "--where", "step=0.001")
        self.assertEqual(got["series"][0]["x"], ["quick", "pgs", "cone"])
        self.assertEqual(got["series"][0]["y"], [1004.0, 1004.0, 1004.0])
        self.assertEqual(got["style"], "bars")

    def test_logarithmic_axes_leave_out_what_they_cannot_show(self):
        got = self.json("plot", self.table, "--x", "seed", "--y", "error", "--log", "xy", "--where", "solver=pgs")
        lost = sum(1 for r in self.rows.rows if r[0] == "pgs" and not math.isnan(r[3]) and (r[2] <= 0 or r[3] <= 0))
        self.assertEqual(got["left_out"]["not_positive"], lost)
        self.assertGreater(lost, 2)
        self.assertTrue(all(x > 0 for s in got["series"] for x in s["x"]))

    def test_conditions(self):
        count = lambda *where: self.json("plot", self.table, "--x", "seed", "--y", "speed", "--failed",
                                         *(w for c in where for w in ("--where", c)))["rows"]
        self.assertEqual(count("seed<2"), 24)
        self.assertEqual(count("seed<=2"), 36)
        self.assertEqual(count("seed>7"), 12)
        self.assertEqual(count("seed >= 7"), 24)
        self.assertEqual(count("solver!=pgs"), 72)
        self.assertEqual(count("solver=pgs", "step=0.01"), 9)
        self.assertEqual(count("step=0.0050000000001"), 27, "numbers agree to nine digits")

    def test_failed_rows_only_when_asked_for(self):
        draw = lambda *more: self.json("plot", self.table, "--x", "seed", "--y", "speed", "--take", "max", *more)
        self.assertEqual(max(draw()["series"][0]["y"]), 1008.0)
        self.assertEqual(max(draw("--failed")["series"][0]["y"]), 1e9)
        self.assertEqual(draw("--where", "status=failed: step 3")["rows"], 1, "--where status asks for them, too")
        done = self.rigor("plot", self.table, "--x", "seed", "--y", "speed", "--json", self.folder / "o.json")
        self.assertIn("left out: 1 row whose status is not ok", done.stderr)

    @needs_numpy
    def test_recordings_and_tables_of_numpy(self):
        npz, mcap, table = self.folder / "r.npz", self.folder / "r.mcap", self.folder / "r.csv"
        run = ("run", tap.MODELS / "double_pendulum.sdf", "--time", "0.05", "--quiet")
        self.rigor(*run, "--record", npz, "--csv", table)
        self.rigor(*run, "--record", mcap, "--every", "1")
        stored = numpy.load(npz)
        name = "q:" + stored["q_names"][1]
        series = [self.json("plot", file, "--x", "t", "--y", f"{name},energy:kinetic")["series"] for file in (npz, table, mcap)]
        self.assertEqual(series[0], series[1])
        self.assertEqual(series[0], series[2])
        self.assertEqual(series[0][0]["x"], list(stored["t"]))
        self.assertEqual(series[0][0]["y"], list(stored["q"][:, 1]))
        self.assertEqual(series[0][1]["y"], list(stored["energy"][:, 0]))

    def test_standard_input(self):
        text = self.table.read_text()
        got = json.loads(self.rigor("plot", "-", "--x", "seed", "--y", "speed", "--json", "-", text=text).stdout)
        self.assertEqual(got["rows"], 107)


class Refusals(tap.CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Rows().write(self.folder / "t.csv")

    def test_columns(self):
        no = lambda *words, says: self.refused("plot", self.table, *words, "--json", "-", says=says)
        no("--x", "stp", "--y", "error", says=["no column 'stp'; did you mean 'step'?", "columns: solver, step, seed"])
        no("--x", "step", "--y", "error,spead", says="did you mean 'speed'?")
        no("--x", "step", "--y", "error", "--by", "nothing like it", says="there is no column")
        no("--x", "step", "--y", "solver", says="'solver' holds texts")
        no("--x", "solver", "--y", "error", "--log", "x", says="'solver' holds texts")
        no("--x", "step,seed", "--y", "error", says="one column")
        no("--y", "error", says=["no columns", "columns: solver"])
        no("--x", "seed", "--y", "error", "--by", "error", says="more than 60 series")

    def test_options(self):
        no = lambda *words, says: self.refused("plot", self.table, "--x", "step", "--y", "error", *words, says=says)
        no("--where", "seed", says="no condition")
        no("--where", "sed=1", says="did you mean 'seed'?")
        no("--where", "seed=many", says="'many' is not a number")
        no("--where", "solver<pgs", says="only compared by = and !=")
        no("--take", "mode", says="none of: spread mean median min max all")
        no("--style", "dots", says="none of: lines points linespoints bars")
        no("--log", "z", says="none of: x y xy")
        no("--xrange", "3", says="expected A:B")
        no("--xrange", "3:1", says="must be below")
        no("--yrange", "0:1", "--log", "y", says="above 0")
        no("--size", "1,1", says="between 3 and 100")
        no("--out", "figure.jpg", says=".png, .svg or .pdf")
        self.refused("plot", "-", "--x", "a", "--y", "b", says="no output", text="a,b\n1,2\n")

    def test_tables(self):
        draw = ("--x", "a", "--y", "b", "--json", "-")
        self.refused("plot", self.folder / "none.csv", *draw, says="no such file")
        self.refused("plot", self.write("t.xls", "a,b\n"), *draw, says="csv npz")
        self.refused("plot", self.write("bad.csv", "a,b\n1,2\n3\n"), *draw, says="bad.csv:3: expected 2 fields")
        self.refused("plot", self.write("empty.csv", "a,b\n"), *draw, says="none of 0 rows", code=1)
        self.refused("plot", self.write("nan.csv", "a,b\n1,nan\n"), *draw, says="left out: 1 value", code=1)
        self.refused("plot", self.write("bad.npz", "PK no archive"), *draw, says="no ZIP archive")

    def test_without_gnuplot_it_says_so(self):
        environment = dict(os.environ, PATH=str(self.folder))
        command = str(pathlib.Path(tap.COMMAND).resolve())
        words = [command, "plot", str(self.table), "--x", "step", "--y", "error"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gnuplot, which is not installed", done.stderr)
        done = subprocess.run(words + ["--json", "-"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, "numbers need no gnuplot")


@needs_gnuplot
class Figures(tap.CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Rows().write(self.folder / "t.csv")

    def svg_texts(self, path):
        """What an SVG shows as text."""
        page = xml.dom.minidom.parse(str(path))
        show = lambda node: node.data if node.nodeType == node.TEXT_NODE else "".join(map(show, node.childNodes))
        return [show(t) for t in page.getElementsByTagName("text")]

    def test_files_are_what_they_are_called(self):
        done = self.rigor("plot", self.table, "--x", "step", "--y", "error", "--by", "solver", "--log", "xy")
        self.assertIn("t.png", done.stdout)
        png = (self.folder / "t.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")), (1600, 1000))
        pdf = (self.folder / "t.pdf").read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF-") and b"%%EOF" in pdf[-32:])
        texts = self.svg_texts(self.folder / "t.svg")
        for text in ("step", "error", "solver = quick", "median, 10th to 90th percentile of 7 to 9 rows"):
            self.assertIn(text, texts)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["t.csv", "t.pdf", "t.png", "t.svg"])

    def test_every_style_draws(self):
        for style in ("lines", "points", "linespoints", "bars"):
            for log in ((), ("--log", "y"), ("--log", "xy")):
                for x in ("step", "solver") if log != ("--log", "xy") else ("step",):
                    with self.subTest(style=style, log=log, x=x):
                        out = self.folder / f"{style}.svg"
                        self.rigor("plot", self.table, "--x", x, "--y", "speed", "--by", "seed", "--style", style, *log, "--out", out)
                        self.assertGreater(len(self.svg_texts(out)), 10)
                        out.unlink()

    def test_tics_and_bars_are_where_their_values_are(self):
        """Places along y of tics and of the tops of bars, read from the SVG, follow one logarithmic or linear scale."""
        cases = {"log": ("3.1\n29602\n125612", ("--log", "y")), "narrow": ("3\n11\n40", ("--log", "y")),
                 "tall": ("1e-9\n3e5\n7e22", ("--log", "y")), "plain": ("3.1\n-4\n9.2", ())}
        for name, (values, log) in cases.items():
            with self.subTest(name):
                text = "name,y\n" + "".join(f"{n},{v}\n" for n, v in zip("abc", values.split()))
                self.rigor("plot", self.write("b.csv", text), "--x", "name", "--y", "y", *log, "--style", "bars", "--out",
                           self.folder / "b.svg", "--script")
                svg = (self.folder / "b.svg").read_text()
                scale = math.log10 if log else float
                # A tic: its stroke and the text beside it; a bar: the corner that is not at its foot.
                tics = re.findall(r"d='M[\d.]+,([\d.]+) L[\d.]+,[\d.]+ +'/>\s*<g transform=\"translate[^>]*text-anchor=\"end\">\s*<text>(.*?)</text>", svg, re.S)
                known = []
                for place, label in tics:
                    label = re.sub(r"<[^>]*>", "", label).strip()
                    power = re.fullmatch(r"10(-?\d+)", label) if re.search(r"10\^", (self.folder / "b.gp").read_text()) else None
                    known.append((scale(10.0 ** int(power.group(1)) if power else float(label)), float(place)))
                self.assertGreaterEqual(len(known), 3)
                (u, p), (v, q) = known[0], known[-1]
                where = lambda y: p + (scale(y) - u) * (q - p) / (v - u)
                for s, place in known:
                    self.assertAlmostEqual(p + (s - u) * (q - p) / (v - u), place, delta=0.05)
                bars = re.findall(r"<polygon[^>]*points = '([^']*)'", svg)[-3:]
                for bar, value in zip(bars, values.split()):
                    ends = {float(corner.split(",")[1]) for corner in bar.split()}
                    self.assertLess(min(abs(end - where(float(value))) for end in ends), 0.05)

    def test_texts_show_as_they_are(self):
        columns = ["a_b^{c}", "x@y & <z>", "100% of \"all\" \\n", "it's `touch HACK`"]
        cells = ["t_1^2 100%", "q'uote \"d\"", "`touch HACK`", "$(touch HACK)", "%s%n %d%%"]
        with open(self.folder / "n.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(columns)
            out.writerows([i, cell, i * i, f"{{red}} \\alpha @{i % 2}"] for i, cell in enumerate(cells))
        title = "T_i^{2} \\Delta \"q\" 's' `touch HACK` @ %d"
        self.rigor("plot", self.folder / "n.csv", "--x", columns[1], "--y", columns[2], "--by", columns[3], "--title", title,
                   "--out", self.folder / "n.svg")
        texts = [t.replace("\u00a0", " ") for t in self.svg_texts(self.folder / "n.svg")]
        for text in [title, columns[1], columns[2], f"{columns[3]} = {{red}} \\alpha @0", f"{columns[3]} = {{red}} \\alpha @1", *cells]:
            self.assertIn(text, texts)
        self.assertEqual(list(self.folder.rglob("HACK")), [])

    def test_bytes_that_are_no_text_do_not_stop_it(self):
        path = self.folder / "b.csv"
        path.write_bytes(b"x\xff,y\n1,2\n3,4\n")
        done = subprocess.run([tap.COMMAND.encode(), b"plot", os.fsencode(path), b"--x", b"x\xff", b"--y", b"y"], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("x?", self.svg_texts(self.folder / "b.svg"))

    def test_the_kept_script_draws_the_same(self):
        self.rigor("plot", self.table, "--x", "step", "--y", "error", "--out", self.folder / "f.svg", "--script")
        script, first = self.folder / "f.gp", (self.folder / "f.svg").read_bytes()
        self.assertTrue((self.folder / "f.dat").exists())
        (self.folder / "f.svg").unlink()
        subprocess.run(["gnuplot", script.name], cwd=self.folder, check=True)
        plain = lambda text: re.sub(rb"gnuplot_plot_\d+\w*|id=\"[^\"]*\"", b"", text)
        self.assertEqual(plain((self.folder / "f.svg").read_bytes()), plain(first))

    def drawn(self, *words):
        """The points that a figure is drawn from."""
        self.rigor("plot", self.folder / "long.csv", *words, "--out", self.folder / "l.svg", "--script")
        lines = (self.folder / "l.dat").read_text().split("\n")
        return [tuple(map(float, line.split()[:2])) for line in lines if line and line[0] != "#"]

    def test_long_series_are_thinned_without_a_trace(self):
        n = 60000
        rows = [(i, math.sin(i * 1e-3) + (5 if i == 31234 else 0), math.cos(i * 1e-3), math.sin(i * 5e-5), math.cos(i * 5e-5)) for i in range(n)]
        self.write("long.csv", "t,a,b,c,d\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
        points = self.drawn("--x", "t", "--y", "a")
        self.assertLess(len(points), 20000)
        self.assertEqual((points[0][0], points[-1][0], max(points, key=lambda p: p[1])[0]), (0, n - 1, 31234))
        self.assertEqual(self.drawn("--x", "t", "--y", "a", "--xrange", "31000:31999", "--yrange", "-9:9")[-1][0], n - 1)
        near = [p for p in self.drawn("--x", "t", "--y", "a", "--xrange", "31000:31999") if 31000 <= p[0] < 31999]
        self.assertEqual(len(near), 999, "what is shown large is whole")
        loop = self.drawn("--x", "c", "--y", "d", "--take", "all", "--style", "lines")
        self.assertLess(len(loop), n)
        self.assertLess(max(math.dist(p, q) for p, q in zip(loop, loop[1:])), 2e-3, "no gap")
        spots = self.drawn("--x", "a", "--y", "b", "--take", "all")
        self.assertLess(len(spots), 20000)
        written = lambda x: float(f"{x:.12g}")
        self.assertTrue(set(spots) <= {(written(a), written(b)) for _, a, b, *_ in rows})
        for words in (("--x", "t", "--y", "a"), ("--x", "a", "--y", "b", "--take", "all")):
            self.assertEqual(sum(len(s["x"]) for s in self.json("plot", self.folder / "long.csv", *words)["series"]), n)

    def test_ranges_labels_size(self):
        out = self.folder / "r.png"
        self.rigor("plot", self.table, "--x", "step", "--y", "speed", "--xrange", "0:0.02", "--yrange", ":2000", "--xlabel", "h (s)",
                   "--ylabel", "v", "--size", "8,5", "--out", out, "--script")
        script = (self.folder / "r.gp").read_text()
        self.assertIn("set xrange [0:0.02]", script)
        self.assertRegex(script, r"set yrange \[[^:]*:2000\]")
        self.assertIn("set xlabel 'h (s)'", script)
        self.assertEqual(int.from_bytes(out.read_bytes()[16:20], "big"), 800)

    def test_nothing_stays_behind_where_the_place_is_wrong(self):
        self.refused("plot", self.table, "--x", "step", "--y", "speed", "--out", self.folder / "no" / "f.png", says="cannot write", code=1)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.csv"])


if __name__ == "__main__":
    tap.main()
