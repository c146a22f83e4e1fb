#!/usr/bin/python3
"""Solvers measured: tools/bench_solvers.py residual FILE.csv [PROBLEM.dat...] | scenes FILE.csv

residual   time against residual: problems by solvers at tolerances from 1e-2 to 1e-10. Two steps of our own, dumped by
           rigor run, and the fc3d files that are given; these by Siconos too, where build/rigor-bench-solve is there.
scenes     run files by solvers: steps per second, residual, final state.

RIGOR names the command (default build/rigor). All times are processor time, least of several runs. tools/plot_solvers.gp draws
the first.
"""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

RIGOR = os.environ.get("RIGOR", "build/rigor")
SOLVERS = ["cone", "pgs", "dantzig", "lemke", "max-dissipation"]
STEPS = [("robot", "models/standing.yaml", 48), ("pile", "models/pile.yaml", 300)]
SCENES = [("standing", "models/standing.yaml", 4), ("reaching", "models/reaching.yaml", 4), ("pile", "models/pile.yaml", 0.4)]
SCENE_SOLVERS = ["quick", "cone", "dantzig", "pgs"]
LIMIT = 60  # s for one run of rigor solve
SLOW = 0.2  # s: a slower solver whose residual does not fall is not run with smaller tolerances


def dump(folder, name, run_file, step):
    """The problem of a step as a file."""
    path = os.path.join(folder, name)
    subprocess.run([RIGOR, "run", run_file, "--quiet", "--dump-step", str(step), "--dump", path],
                   check=True)
    return path


def solve(path, solver, tolerance):
    """What rigor solve says; None: it took too long or does not take such problems."""
    command = [RIGOR, "solve", path, "--solver", solver, "--tolerance", f"{tolerance:g}", "--quiet", "--json", "-"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(run.stdout) if run.stdout else None


def measure_residual(path, name):
    rows = []
    for solver in SOLVERS:
        for k in range(2, 11):
            got = solve(path, solver, 10.0**-k)
            if got is None or got["residual"] is None:
                break
            rows.append([name, got["contacts"], solver, f"1e-{k}", got["status"], f"{got['residual']:.3g}",
                         got["iterations"], f"{1e3 * got['seconds']:.4g}"])
            print(*rows[-1], flush=True)
            if got["seconds"] > SLOW and len(rows) > 1 and rows[-2][2] == solver and rows[-2][5] == rows[-1][5]:
                break
    return rows


def measure_siconos(path, name):
    """The fastest of its option sets at 1e-4 and 1e-8, by our judge."""
    bench = os.path.join(os.path.dirname(RIGOR), "rigor-bench-solve")
    if not os.path.exists(bench):
        return []
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([bench, path, "--seconds", "2", "--json", out.name], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        tries = [t for t in json.load(open(out.name, encoding="utf-8")) if t["library"] == "siconos" and t["reached"]]
    rows = []
    for level in (1e-4, 1e-8):
        best = min((t for t in tries if t["tolerance"] == level), key=lambda t: t["seconds"], default=None)
        if best:
            rows.append([name, best["contacts"], "siconos", f"{level:g}", best["solver"], f"{best['residual']:.3g}",
                         best["iterations"], f"{1e3 * best['seconds']:.4g}"])
            print(*rows[-1], flush=True)
    return rows


def residual(files):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, run_file, step in STEPS:
            rows += measure_residual(dump(folder, name, run_file, step), name)
    for path in files:
        name = os.path.basename(path).split(".")[0]
        rows += measure_residual(path, name) + measure_siconos(path, name)
    return ["problem", "contacts", "solver", "tolerance", "status", "residual", "iterations", "ms"], rows


def run_scene(run_file, solver, time):
    """Summary of a run, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([RIGOR, "run", run_file, "--solver", solver, "--time", f"{time:g}", "--quiet", "--json", "-"],
                         capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(run.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scenes(_):
    rows = []
    for name, run_file, time in SCENES:
        start = min(run_scene(run_file, "quick", 0.002)[1] for _ in range(5))
        for solver in SCENE_SOLVERS:
            runs = [run_scene(run_file, solver, time)]
            while len(runs) < 5 and sum(seconds for _, seconds in runs) < 10:
                runs.append(run_scene(run_file, solver, time))
            summary, seconds = runs[0][0], min(s for _, s in runs) - start
            work = summary["contact_solver"]
            rows.append([name, solver, summary["steps"], f"{summary['steps'] / seconds:.0f}", f"{1e3 * seconds / summary['steps']:.4g}",
                         work["unfinished_steps"], work["fallback_steps"], f"{work['residual_velocity']:.3g}",
                         f"{summary['momentum_final']['kinetic']:.3g}", f"{summary['energy_final']:.9g}",
                         f"{work['work']['friction']:.3g}"])
            print(*rows[-1], flush=True)
    return ["scene", "solver", "steps", "steps_per_s", "ms", "unfinished_steps", "fallback_steps", "residual_velocity",
            "kinetic_final", "energy_final", "friction_work"], rows


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("residual", "scenes"):
        print(__doc__)
        return 2
    header, rows = {"residual": residual, "scenes": scenes}[sys.argv[1]](sys.argv[3:])
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header] + rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
