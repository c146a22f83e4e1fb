#!/usr/bin/python3
"""`rigor sweep`: combinations, draws and what is watched against numpy; rows against `rigor run`; cut off, crashed, killed; errors."""
import csv
import json
import os
import resource
import signal
import subprocess
import time
import unittest

import tap

try:
    import numpy
except ImportError:
    numpy = None

PENDULUM = tap.MODELS / "double_pendulum.yaml"
STANDING = tap.MODELS / "standing.yaml"


class SweepTest(tap.CommandTest):
    """A test with sweep files in its folder; tables are made there."""

    def sweep_file(self, text, name="s.yaml", run=PENDULUM):
        return self.write(name, f"run: {run}\n{text}")

    def sweep(self, file, *arguments, out="t", code=0):
        """Runs a sweep. Its rows, as dictionaries of texts."""
        self.rigor("sweep", file, "--out", self.folder / out, "--quiet", *arguments, code=code)
        return self.rows(out)

    def rows(self, out="t"):
        with open(self.folder / f"{out}.csv", newline="") as file:
            return list(csv.DictReader(file))

    def listed(self, file):
        """Rows of --list: {column: text}."""
        rows = []
        for line in self.rigor("sweep", file, "--list").stdout.splitlines()[1:]:
            words = line.split("  ")[1:]
            rows.append(dict(word.split(" = ", 1) if " = " in word else ("seed", word.split()[1]) for word in words))
        return rows

    def bytes(self, out, *endings):
        return [(self.folder / f"{out}.{ending}").read_bytes() for ending in endings or ("csv", "npz")]


class Rows(SweepTest):
    def test_every_row_is_a_run(self):
        """Rows of the grid, the last axis fastest; each has the state hash of `rigor run` with the same settings, in both forms."""
        file = self.sweep_file("set: {duration: 0.2}\n"
                               "axes:\n"
                               "  - {key: coords, values: [minimal, maximal]}\n"
                               "  - {key: stepper.name, values: [semi-implicit, rk4]}\n"
                               "  - {key: stepper.step, values: [1e-3, 2e-3, 5e-3]}\n"
                               "outputs: [state_hash, energy_drift, steps]\n")
        rows = self.sweep(file)
        expected = [(c, s, h) for c in ("minimal", "maximal") for s in ("semi-implicit", "rk4") for h in (1e-3, 2e-3, 5e-3)]
        self.assertEqual([(r["coords"], r["stepper.name"], float(r["stepper.step"])) for r in rows], expected)
        self.assertEqual([int(r["run"]) for r in rows], list(range(12)))
        for row, (coords, stepper, step) in zip(rows, expected):
            run = self.json("run", PENDULUM, "--time", "0.2", "--coords", coords, "--stepper", stepper, "--step", step)
            self.assertEqual((row["status"], row["state_hash"]), ("ok", run["state_hash"]))
            self.assertEqual((float(row["energy_drift"]), int(row["steps"])), (run["energy_drift"], run["steps"]))

    def test_keys_that_go_together(self):
        """A list: rows of values for several keys, words, numbers, lists and whole sections among them."""
        file = self.sweep_file("axes:\n"
                               "  - keys: [solver, gravity, duration]\n"
                               "    names: [solver, g, duration]\n"
                               "    values:\n"
                               "      - [quick, [0, 0, -9.81], 0.05]\n"
                               "      - [{name: pgs, iterations: 20}, [0, 0, -1.62], 0.1]\n"
                               "outputs: [time, state_hash]\n", run=tap.MODELS / "die.yaml")
        rows = self.sweep(file)
        self.assertEqual([r["solver"] for r in rows], ["quick", "{name: pgs, iterations: 20}"])
        self.assertEqual([r["g"] for r in rows], ["[0, 0, -9.81]", "[0, 0, -1.62]"])
        run = self.json("run", tap.MODELS / "die.yaml", "--solver", "pgs", "--iterations", "20", "--gravity=0,0,-1.62",
                        "--time", "0.1")
        self.assertEqual(rows[1]["state_hash"], run["state_hash"])

    def test_ranges(self):
        """Linear and logarithmic, with exact ends."""
        file = self.sweep_file("axes:\n"
                               "  - {key: duration, from: 0.01, to: 0.05, count: 5}\n"
                               "  - {key: stepper.step, from: 1e-4, to: 1e-2, count: 3, scale: log}\n")
        rows = self.listed(file)
        self.assertEqual(len(rows), 15)
        for i, row in enumerate(rows):
            self.assertAlmostEqual(float(row["duration"]), 0.01 + 0.01 * (i // 3), places=15)
            self.assertAlmostEqual(float(row["stepper.step"]) / 10 ** (i % 3 - 4), 1, places=12)
        self.assertEqual((rows[0]["stepper.step"], rows[2]["stepper.step"]), ("0.0001", "0.01"))

    def test_changes_to_what_is_there(self):
        """add and times change the number that the run file has; an item of a list by its name."""
        file = self.sweep_file("set: {duration: 0.02}\n"
                               "axes:\n"
                               "  - {key: 'models.dog.pose[2]', values: [0.5], change: add, name: lift}\n"
                               "  - {key: state.joints.front_left_pitch, values: [1, 2]}\n"
                               "outputs: ['first(link.body.position[2])', 'first(joint.front_left_knee.position)']\n",
                               run=STANDING)
        base = self.sweep(self.sweep_file("set: {duration: 0.02}\noutputs: ['first(link.body.position[2])']\n", "b.yaml",
                                          run=STANDING), out="b")
        # A value at the top level beside one in a model is given twice: the first row says so, and is a row.
        rows = self.sweep(file)
        height = [float(r["first(link.body.position[2])"]) for r in rows]
        self.assertAlmostEqual(height[0] - float(base[0]["first(link.body.position[2])"]), 0.5, places=12)

    def test_model_parameters(self):
        """A mass and all dampers, by name and pattern, as `rigor run --parameter` has them."""
        file = self.sweep_file("set: {duration: 0.1}\n"
                               "axes:\n"
                               "  - {key: parameters.links.body.mass_scale, values: [0.5, 2]}\n"
                               "  - {key: parameters.joints.*.damping, values: [0, 0.7]}\n"
                               "outputs: [state_hash, mass]\n", run=STANDING)
        rows = self.sweep(file)
        for row in rows:
            run = self.json("run", STANDING, "--time", "0.1", "--parameter",
                            f"links.body.mass_scale={row['parameters.links.body.mass_scale']}", "--parameter",
                            f"joints.*.damping={row['parameters.joints.*.damping']}")
            self.assertEqual((row["state_hash"], float(row["mass"])), (run["state_hash"], run["mass"]))
        self.assertEqual(len({row["state_hash"] for row in rows}), 4)

    def test_all_joints_beside_one(self):
        """* below parameters means all of the model, also where the run file names one of them itself."""
        text = "set: {duration: 0.2%s}\naxes: [{key: parameters.joints.*.damping, values: [5]}]\noutputs: [state_hash]\n"
        plain = self.sweep(self.sweep_file(text % ""))[0]["state_hash"]
        named = self.sweep(self.sweep_file(text % ", parameters.joints.lower.friction: 0", "n.yaml"), out="n")[0]
        self.assertEqual((named["status"], named["state_hash"]), ("ok", plain), named["reason"])

    def test_a_model_alone(self):
        """A URDF or SDF file stands for a run file of that model."""
        file = self.sweep_file("axes: [{key: duration, values: [0.1]}]\noutputs: [state_hash]\n",
                               run=tap.MODELS / "double_pendulum.sdf")
        run = self.json("run", tap.MODELS / "double_pendulum.sdf", "--time", "0.1")
        self.assertEqual(self.sweep(file)[0]["state_hash"], run["state_hash"])

    def test_failed_runs_are_rows(self):
        """A run that cannot begin, or whose step is refused, says why; the others are as without it."""
        text = ("set: {duration: 0.1}\n"
                "axes: [{key: models, values: [[{file: %s}], [{file: nowhere.sdf}]]}]\noutputs: [state_hash]\n" % (tap.MODELS / "double_pendulum.sdf"))
        rows = self.sweep(self.sweep_file(text))
        self.assertEqual([r["status"] for r in rows], ["ok", "failed"])
        self.assertIn("no such file", rows[1]["reason"])
        self.assertEqual(rows[1]["state_hash"], "")
        rows = self.sweep(self.sweep_file("axes: [{key: gravity, values: [[0, 0, -9.81], [0, 0, -1e300]]}]\n"
                                          "set: {duration: 0.1}\noutputs: [state_hash, time]\n"), out="g")
        self.assertEqual([r["status"] for r in rows], ["ok", "refused"])
        self.assertIn("refused at t", rows[1]["reason"])

    def test_keys_from_the_command_line(self):
        """--set has the last word on what all runs share; words, numbers, lists; wrong ones are refused."""
        file = self.sweep_file("set: {duration: 0.05, stepper.step: 1e-3}\noutputs: [state_hash, time]\n")
        row = self.sweep(file, "--set", "duration=0.1", "--set", "gravity=[0, 0, -1.62]", "--set", "stepper=rk4")[0]
        run = self.json("run", PENDULUM, "--time", "0.1", "--gravity=0,0,-1.62", "--stepper", "rk4", "--step", "1e-3")
        self.assertEqual(row["state_hash"], run["state_hash"])
        for text, says in (("duration", "expected PATH=VALUE"), ("a..b=1", "no path"), ("dration=1", "did you mean 'duration'"),
                           ("duration=[", "--set")):
            self.refused("sweep", file, "--fresh", "--out", self.folder / "t", "--set", text, says=says)

    def test_files_that_are_shown(self):
        """The file in the docs and the one in the help can be run as they stand."""
        docs = (tap.ROOT / "docs" / "sweeps.md").read_text().split("```yaml\n")[1].split("```")[0]
        shown = self.rigor("help", "sweep").stdout.split("FILE is YAML:\n\n")[1].split("\n\n")[0]
        for name, text in (("docs", docs), ("help", shown)):
            file = self.write(f"{name}.yaml", "\n".join(line for line in text.split("\n") if not line.strip().startswith("run:")) +
                              f"\n{'  ' if name == 'help' else ''}run: {STANDING}\n")
            runs = len(self.listed(file))
            self.assertEqual(runs, 2 * 2 * 3 * 2 * 2 * 3 if name == "docs" else 3 * 5 * 2 * 10)
        for file in sorted((tap.MODELS / "sweeps").glob("*.yaml")):
            self.assertGreater(len(self.listed(file)), 1)

    def test_one_run_alone(self):
        """--run N prints the row that the table has."""
        file = self.sweep_file("set: {duration: 0.05}\naxes: [{key: stepper.step, values: [1e-3, 5e-3]}]\noutputs: [energy_drift]\n")
        rows = self.sweep(file)
        for i in range(2):
            line = json.loads(self.rigor("sweep", file, "--run", i).stdout)
            self.assertEqual((line["run"], line["outputs"]), (i, {"energy_drift": float(rows[i]["energy_drift"])}))
            self.assertEqual(line["axes"], {"stepper.step": float(rows[i]["stepper.step"])})
        self.refused("sweep", file, "--run", 2, says="--run")


@unittest.skipUnless(numpy, "no numpy")
class Numbers(SweepTest):
    def test_both_tables_are_one(self):
        """NPZ and CSV have the same columns and, bit by bit, the same numbers; the manifest says which."""
        file = self.sweep_file("set: {duration: 0.05}\n"
                               "axes: [{key: stepper.name, values: [semi-implicit, rk4]}, {key: stepper.step, uniform: [1e-3, 5e-3]}]\n"
                               "seeds: 3\noutputs: [energy_drift, state_hash, 'max(speed)']\n")
        rows = self.sweep(file)
        arrays = numpy.load(self.folder / "t.npz")
        self.assertEqual(list(rows[0]), list(arrays.files))
        for name in arrays.files:
            if arrays[name].dtype.kind == "U":
                self.assertEqual([r[name] for r in rows], list(arrays[name]))
            else:
                self.assertTrue(numpy.array_equal(numpy.array([float(r[name]) for r in rows]), arrays[name]), name)
        manifest = json.loads((self.folder / "t.json").read_text())
        self.assertEqual(manifest["columns"], arrays.files)
        self.assertEqual((manifest["runs"], manifest["seeds"], manifest["status"]["ok"]), (6, 3, 6))
        self.assertEqual(manifest["text"], file.read_text())

    def test_what_is_watched(self):
        """Extremes, means and times of signals against numpy on a recording of the same run."""
        takes = ("last", "first", "min", "max", "range", "mean", "rms", "time_of_min", "time_of_max")
        outputs = ", ".join(f"'{take}(link.{{link}}.position[0])'" for take in takes)
        name = "large"
        file = self.sweep_file("set: {duration: 1, stepper.step: 1e-3}\n"
                               f"outputs: [{outputs.format(link=name)}, 'mean(energy.kinetic)', "
                               f"{{name: late, of: 'max(link.{name}.position[0])', after: 0.5}}]\n")
        row = self.sweep(file)[0]
        out = self.folder / "r.npz"
        self.rigor("run", PENDULUM, "--time", "1", "--step", "1e-3", "--record", out, "--every", "1")
        record = numpy.load(out)
        index = list(record["link_names"]).index(name)
        x, t = record["link_position"][:, index, 0], record["t"]
        expected = {"last": x[-1], "first": x[0], "min": x.min(), "max": x.max(), "range": x.max() - x.min(),
                    "mean": x[1:].mean(), "rms": numpy.sqrt((x[1:] ** 2).mean()), "time_of_min": t[x.argmin()],
                    "time_of_max": t[x.argmax()]}
        for take in takes:
            self.assertAlmostEqual(float(row[f"{take}(link.{name}.position[0])"]), expected[take], places=12, msg=take)
        self.assertAlmostEqual(float(row["mean(energy.kinetic)"]), record["energy"][1:, 0].mean(), places=10)
        self.assertAlmostEqual(float(row["late"]), x[t >= 0.5].max(), places=12)

    def test_runs_that_stop(self):
        """A condition ends the run at the first step where it holds, and is named."""
        file = self.sweep_file("set: {stepper.step: 1e-3, duration: 1}\n"
                               "stop: [{name: fast, if: 'speed > 3'}]\noutputs: [time, 'last(speed)', 'max(speed)', steps]\n")
        row = self.sweep(file)[0]
        self.assertEqual((row["status"], row["stopped"]), ("ok", "fast"))
        out = self.folder / "r.npz"
        self.rigor("run", PENDULUM, "--time", "1", "--step", "1e-3", "--record", out, "--every", "1")
        speed = numpy.abs(numpy.load(out)["v"]).max(axis=1)
        self.assertEqual(int(row["steps"]), int(numpy.argmax(speed > 3)))
        self.assertEqual(float(row["last(speed)"]), speed[int(row["steps"])])

    def test_draws(self):
        """Draws depend on seed and key alone, by the formulas in the head of sweep_axes.c; their distributions are those asked for."""
        text = ("axes:\n"
                "  - {key: stepper.step, uniform: [2, 5]}\n"
                "  - {key: solver.contact_erp, log_uniform: [1e-8, 1e-2]}\n"
                "  - {key: stepper.dissipation, normal: [0.5, 0.1]}\n"
                "  - {key: coords, choice: [minimal, maximal, minimal]}\n"
                "  - {key: duration, values: [1, 2]}\n"
                "seeds: 4000\n")
        rows = self.listed(self.sweep_file(text))
        self.assertEqual(len(rows), 8000)
        for key in ("stepper.step", "solver.contact_erp", "stepper.dissipation", "coords"):
            self.assertEqual([r[key] for r in rows[:4000]], [r[key] for r in rows[4000:]])
        self.assertAlmostEqual(float(rows[6]["stepper.step"]) / (2 + 3 * unit(7, "stepper.step")), 1, places=8)
        u = numpy.sort((numpy.array([float(r["stepper.step"]) for r in rows[:4000]]) - 2) / 3)
        self.assertLess(numpy.abs(u - (numpy.arange(4000) + 0.5) / 4000).max(), 1.63 / 4000 ** 0.5)
        logs = numpy.log(numpy.array([float(r["solver.contact_erp"]) for r in rows[:4000]]) / 1e-8) / numpy.log(1e6)
        self.assertLess(numpy.abs(numpy.sort(logs) - (numpy.arange(4000) + 0.5) / 4000).max(), 1.63 / 4000 ** 0.5)
        share = sum(r["coords"] == "maximal" for r in rows[:4000]) / 4000
        self.assertAlmostEqual(share, 1 / 3, delta=0.03)
        try:
            from scipy.stats import norm
        except ImportError:
            return
        for seed in (1, 2, 3, 50, 999, 4000):
            self.assertAlmostEqual(float(rows[seed - 1]["stepper.dissipation"]),
                                   0.5 + 0.1 * norm.ppf(unit(seed, "stepper.dissipation")), delta=1e-9)

    def test_seeds_by_name(self):
        """A list of seeds draws what these seeds draw in a longer sweep."""
        text = "axes: [{key: stepper.step, uniform: [1e-3, 2e-3]}]\n"
        some = self.listed(self.sweep_file(text + "seeds: [3, 17]\n"))
        many = self.listed(self.sweep_file(text + "seeds: 20\n", "m.yaml"))
        self.assertEqual(some, [many[2], many[16]])

    def test_search(self):
        """The largest step with which the energy stays within a bound, on both sides of it."""
        file = self.sweep_file("set: {duration: 0.3}\n"
                               "axes: [{key: stepper.name, values: [semi-implicit, rk4]}]\n"
                               "search: {key: stepper.step, first: 1e-3, least: 1e-5, most: 0.05, width: 0.02, where: [energy_drift < 0.01, energy_drift > -0.01]}\n"
                               "outputs: [energy_drift, steps]\n")
        for row in self.sweep(file):
            found, fails = float(row["stepper.step"]), float(row["fails"])
            self.assertLess(abs(float(row["energy_drift"])), 0.01)
            self.assertLess(fails, 1.03 * found)
            arguments = ("run", PENDULUM, "--time", "0.3", "--stepper", row["stepper.name"])
            self.assertEqual(self.json(*arguments, "--step", repr(found))["energy_drift"], float(row["energy_drift"]))
            self.assertGreater(abs(self.json(*arguments, "--step", repr(fails))["energy_drift"]), 0.01)


def unit(seed, name):
    """What sweep_axes.c draws: FNV-1a and SplitMix64's finaliser."""
    mask = 2 ** 64 - 1

    def mix(x):
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & mask
        x = (x ^ x >> 27) * 0x94d049bb133111eb & mask
        return x ^ x >> 31

    hash = 0xcbf29ce484222325
    for byte in name.encode():
        hash = (hash ^ byte) * 0x100000001b3 & mask
    return ((mix(mix(seed + 0x9e3779b97f4a7c15 & mask) ^ mix(hash)) >> 12) + 0.5) / 2 ** 52


LONG = ("set: {duration: %s, stepper.step: 1e-3}\n"
        "axes: [{key: 'models.dog.pose[2]', uniform: [0, 0.2], change: add, name: lift}]\n"
        "seeds: %d\noutputs: [energy_drift, state_hash, 'min(link.body.position[2])']\n")


class Restart(SweepTest):
    def begin(self, file, *arguments, **more):
        return subprocess.Popen([tap.COMMAND, "sweep", str(file), "--out", str(self.folder / "t"), "--quiet", *arguments],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)

    def file_of(self, seeds, duration=1.5):
        return self.sweep_file(LONG % (duration, seeds), run=STANDING)

    def rows_done(self):
        """Rows in the journal; none where there is no journal, not yet or no longer."""
        journal = self.folder / "t.journal"
        return max(journal.read_bytes().count(b"\n") - 1, 0) if journal.exists() else 0

    def disturb(self, disturb, *arguments, **more):
        """Begins a sweep and calls disturb(process) in the midst of it: (process, file, its runs). A sweep that was over by
        then is begun again with more runs, however fast or busy the machine is."""
        for seeds in (24, 96, 384, 1536):
            file = self.file_of(seeds)
            process = self.begin(file, *arguments, **more)
            while self.rows_done() < 3 and process.poll() is None:
                time.sleep(0.01)
            try:
                disturb(process)
                if 0 < self.rows_done() < seeds * 3 // 4:
                    return process, file, seeds
            except (AssertionError, IndexError, ProcessLookupError):
                if seeds == 1536:
                    raise
            process.communicate()
            for old in self.folder.glob("t.*"):
                old.unlink()
        self.fail("every sweep was over before it was disturbed")

    def test_killed(self):
        """kill -9: what was done is done; a line that was cut off is done again; the tables are the same bytes."""
        def kill(process):
            process.kill()
            process.wait()
        process, file, seeds = self.disturb(kill)
        process.communicate()
        self.sweep(file, out="whole")
        journal = self.folder / "t.journal"
        done = [json.loads(line)["run"] for line in journal.read_text().splitlines(True)[1:] if line.endswith("\n")]
        self.assertTrue(3 <= len(done) < seeds, done)
        with open(journal, "a") as out:
            out.write(f'{{"run": {seeds - 1}, "status": "ok", "val')
        said = self.rigor("sweep", file, "--out", self.folder / "t").stderr
        self.assertIn(f"{len(done)} of {seeds} runs were done", said)
        self.assertEqual(self.bytes("t"), self.bytes("whole"))
        self.assertFalse(journal.exists())
        self.assertIn("all runs were done before", self.rigor("sweep", file, "--out", self.folder / "t").stdout)

    def test_interrupted(self):
        """Ctrl-C ends it in order; no process is left behind."""
        process, _, _ = self.disturb(lambda process: os.killpg(process.pid, signal.SIGINT), start_new_session=True)
        said = process.communicate(timeout=tap.PATIENCE)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("the same command resumes", said)

        def all_gone():
            states = subprocess.run(["ps", "-o", "stat=", "-g", str(process.pid)], capture_output=True, text=True).stdout.split()
            return all(state.startswith("Z") for state in states)
        self.wait_until(all_gone)

    def test_worker_killed(self):
        """A process that computes is killed: its run is done again, and the table is the same."""
        def kill_two(process):
            family = subprocess.run(["ps", "-o", "pid=", "-g", str(process.pid)], capture_output=True, text=True).stdout.split()
            self.assertGreaterEqual(len(family), 5)
            os.kill(max(int(pid) for pid in family), signal.SIGKILL)
            before = self.rows_done()
            while self.rows_done() < before + 2 and process.poll() is None:
                time.sleep(0.01)
            keeper = sorted(int(pid) for pid in family)[1]
            os.kill(keeper, signal.SIGKILL)
        process, file, _ = self.disturb(kill_two, "--jobs", "2", start_new_session=True)
        said = process.communicate(timeout=tap.PATIENCE)[1]
        self.assertEqual(process.returncode, 0, said)
        self.sweep(file, out="whole")
        self.assertEqual(self.bytes("t"), self.bytes("whole"))

    def test_run_that_kills_its_process(self):
        """A run that ends its process each time (here: it takes more processor time than is allowed) is a row that says so."""
        file = self.sweep_file("axes: [{key: duration, values: [0.01, 100000, 0.02]}]\nset: {stepper.step: 1e-4}\noutputs: [time]\n")
        process = self.begin(file, "--jobs", "1", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
        said = process.communicate(timeout=tap.PATIENCE)[1]
        self.assertEqual(process.returncode, 1, said)
        rows = self.rows()
        self.assertEqual([r["status"] for r in rows], ["ok", "lost", "ok"])
        self.assertIn("ended by signal", rows[1]["reason"])
        self.assertTrue((self.folder / "t.journal").exists())

    def test_journals_of_others(self):
        """Another sweep, or changed files, do not go on with a journal; --fresh begins anew; one process at a time."""
        file = self.file_of(20000)
        process = self.begin(file)
        self.wait_until(lambda: self.rows_done() > 0, process)
        self.refused("sweep", file, "--out", self.folder / "t", says="another sweep is writing it")
        process.kill()
        process.communicate()
        other = self.sweep_file(LONG % (1.5, 24), "o.yaml", run=STANDING)
        self.refused("sweep", other, "--out", self.folder / "t", says="is of another sweep")
        short = self.sweep_file("set: {duration: 0.01}\n", "short.yaml")
        self.sweep(short, "--fresh")
        self.write("n.journal", "my own notes\n")
        self.refused("sweep", short, "--out", self.folder / "n", says="is no journal")

    def test_tables_of_others(self):
        """Tables that another sweep has made, or this one with other files, are not overwritten but by --fresh."""
        file = self.sweep_file("set: {duration: 0.01}\noutputs: [time]\n")
        self.sweep(file)
        file.write_text(file.read_text().replace("0.01", "0.02"))
        self.refused("sweep", file, "--out", self.folder / "t", says="--fresh overwrites")
        self.assertAlmostEqual(float(self.rows()[0]["time"]), 0.01)
        self.assertAlmostEqual(float(self.sweep(file, "--fresh")[0]["time"]), 0.02)

    def test_other_meshes_are_other_files(self):
        """A mesh that a model names belongs to the sweep."""
        mesh = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        self.write("t.obj", mesh.format(0.1))
        self.write("m.urdf", '<robot name="m"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
                   'ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="t.obj"/></geometry></collision></link></robot>')
        file = self.sweep_file("set: {duration: 0.01}\noutputs: [time]\n", run=self.folder / "m.urdf")
        self.sweep(file)
        self.assertIn("all runs were done before", self.rigor("sweep", file, "--out", self.folder / "t").stdout)
        self.write("t.obj", mesh.format(0.9))
        self.refused("sweep", file, "--out", self.folder / "t", says="--fresh overwrites")

    def test_same_bytes_for_any_number_of_processes(self):
        file = self.file_of(24, 0.1)
        self.sweep(file, "--jobs", "1", out="one")
        self.sweep(file, "--jobs", "3", out="three")
        self.assertEqual(self.bytes("one"), self.bytes("three"))


class BadInput(SweepTest):
    def wrong(self, text, says, run=PENDULUM):
        file = self.sweep_file(text, run=run)
        self.refused("sweep", file, "--out", self.folder / "t", says=says)

    def test_files(self):
        self.refused("sweep", self.folder / "none.yaml", says="cannot open")
        self.refused("sweep", self.write("e.yaml", "axes: []\n"), says=["e.yaml:1", "'run' is missing"])
        self.refused("sweep", self.write("f.yaml", "run: nowhere.yaml\n"), says="nowhere.yaml")
        self.refused("sweep", self.write("g.yaml", "run: x\nruns: 5\n"), says=["g.yaml:2:1", "did you mean 'run'"])

    def test_axes(self):
        for text, says in (
                ("axes: [{values: [1]}]\n", ["s.yaml:2:8", "'key' is missing"]),
                ("axes: [{key: duration}]\n", "found none"),
                ("axes: [{key: duration, values: [1], uniform: [0, 1]}]\n", "found several"),
                ("axes: [{key: duration, values: []}]\n", "empty"),
                ("axes: [{key: 'a..b', values: [1]}]\n", "no path"),
                ("axes: [{key: duration, from: 1, to: 2}]\n", "belong together"),
                ("axes: [{key: duration, from: 0, to: 2, count: 3, scale: log}]\n", "log scale"),
                ("axes: [{keys: [duration, coords], values: [[1]]}]\n", "expected a list of 2"),
                ("axes: [{key: duration, uniform: [2, 1]}]\n", "wrong order"),
                ("axes: [{key: duration, values: [1]}, {key: duration, values: [2]}]\n", "two columns"),
                ("axes: [{key: duration, values: [1], name: status}]\n", "two columns"),
                ("axes: [{key: duration, values: [a], change: add}]\n", "expected numbers"),
                ("axes: [{key: dration, values: [1]}]\n", ["s.yaml:2:8", "did you mean 'duration'"]),
                ("axes: [{key: stepper.name, values: [rk4, rk5]}]\n", ["s.yaml:2:8", "value rk5", "rk4"]),
                ("axes: [{key: 'models[7].file', values: [x]}]\n", "beyond the end"),
                ("axes: [{key: models.x.file, values: [x]}]\n", "no item of the list"),
                ("axes: [{key: state.joints.nowhere, values: [1, 2]}]\n", "no joint"),
                ("seeds: 0\n", "seeds"),
                ("seeds: 3\n", "nothing is drawn"),
                ("axes: [{key: duration, values: [1]}, {key: duration, values: [2], name: d}]\n", "two axes set 'duration'"),
                ("axes: [{key: duration, values: [1], scale: log}]\n", "'scale' goes with"),
                ("axes: [{key: duration, values: [1]}, {key: stepper.name, values: [rk44]}]\n", ["s.yaml:2:38", "'stepper.name'", "rk44"]),
                ("axes: [{key: duration, values: [1]}, {key: gravty, values: [1]}]\n", ["s.yaml:2:38", "gravty"]),
                ("axes: [{key: stepper.name, choice: [rk4, rk44]}]\nseeds: 2\n", ["s.yaml:2:8", "value rk44"]),
                ("axes: [{key: solver.name, values: [pgs, pgss]}]\n", ["s.yaml:2:8", "value pgss"]),
                ("set: {duration: -1}\n", ["s.yaml:2:7", "duration"]),
                ("set: {state.joints.nowhere: 1}\n", ["s.yaml:2:7", "no joint"]),
                ("axes: [{key: duration, from: 1, to: 2, count: 1000000}, {key: stepper.step, from: 1, to: 2, count: 1000000}]\n",
                 "more than")):
            with self.subTest(text=text):
                self.wrong(text, says)

    def test_outputs(self):
        for text, says in (
                ("outputs: [energie_drift]\n", ["s.yaml:2:11", "did you mean 'energy_drift'"]),
                ("outputs: [momentum_final]\n", "give one member"),
                ("outputs: ['most(speed)']\n", "expected one of last"),
                ("outputs: ['max(sped)']\n", "did you mean 'speed'"),
                ("outputs: ['max(link.nothing.position[2])']\n", "no link 'nothing'"),
                ("outputs: ['max(com[3])']\n", "3 components"),
                ("outputs: ['max(speed']\n", "expected ')'"),
                ("outputs: [{name: a}]\n", "'of' is missing"),
                ("stop: [speed]\n", "expected a name, < or >"),
                ("stop: ['spin > 3']\n", "unknown 'spin'"),
                ("search: {first: 1}\n", "'key' is missing"),
                ("search: {key: stepper.step, first: 1, most: 0.1}\n", "least <= first <= most"),
                ("search: {key: stepper.step, where: [nothing < 1]}\n", "not in the summary")):
            with self.subTest(text=text):
                self.wrong(text, says)

    def test_options(self):
        file = self.sweep_file("set: {duration: 0.01}\n")
        for option in ("--jobs=0", "--jobs=x", "--patience=1"):
            self.refused("sweep", file, option, "--out", self.folder / "t", says=option.split("=")[0])
        self.refused("sweep", file, "--out", self.folder / "no" / "t", says="No such file")
        (self.folder / "in").mkdir()
        for out in (f"{self.folder}/in/", f"{self.folder}/in"):
            self.rigor("sweep", file, "--quiet", "--fresh", "--out", out)
            self.assertTrue((self.folder / "in" / "s.csv").exists())


if __name__ == "__main__":
    tap.main()
