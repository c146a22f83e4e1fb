#!/usr/bin/python3
"""`mpirun -n N rigor sweep`: the bytes of the serial table, also where a process of a rank is killed; what ranks that differ are told.

Each test runs with MPICH and with Open MPI, and is skipped where the launcher or the module of one is missing."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import tap

BUILD = pathlib.Path(tap.COMMAND).resolve().parent
ROOT_TOO = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCHERS = ("OMPI_", "PMI", "SLURM_", "RIGOR_M")

SWEEP = """set: {duration: %s, stepper.step: 1e-3}
axes:
  - {key: solver.name, values: [quick, cone], name: solver}
  - {key: 'models.dog.pose[2]', uniform: [0, 0.2], change: add, name: lift}
seeds: %d
outputs: [energy_drift, state_hash, 'min(link.body.position[2])']
"""


def parents():
    """{process: parent} of all processes."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout.split("\n")
    return {int(a): int(b) for a, b in (line.split() for line in lines if line.strip())}


class MpiTest:
    def setUp(self):
        super().setUp()
        self.launcher = shutil.which(f"mpirun.{self.word}")
        if not self.launcher:
            self.skipTest(f"mpirun.{self.word} is not installed")
        if not (BUILD / f"rigor_{self.word}.so").exists():
            self.skipTest(f"rigor_{self.word}.so was not built")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
        self.environment = {**kept, **ROOT_TOO}

    def file(self, duration=0.05, seeds=10):
        return self.write("s.yaml", f"run: {tap.MODELS / 'standing.yaml'}\n" + SWEEP % (duration, seeds))

    def serial(self, file, *arguments):
        self.rigor("sweep", file, "--out", self.folder / "serial", "--quiet", "--fresh", *arguments)

    def begin(self, ranks, file, out, *arguments, options=()):
        command = [self.launcher, *self.plain, *options, "-n", str(ranks), tap.COMMAND, "sweep", str(file), "--out",
                   str(self.folder / out), *arguments]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=self.environment, start_new_session=True)

    def end(self, process, code=0):
        try:
            said, _ = process.communicate(timeout=tap.PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.fail(f"does not end: {process.communicate()[0]}")
        self.assertEqual(process.returncode, code, said)
        return said

    def same(self, *outs):
        for ending in ("csv", "npz"):
            all_bytes = {(self.folder / f"{out}.{ending}").read_bytes() for out in outs}
            self.assertEqual(len(all_bytes), 1, ending)

    def workers(self, process):
        """Processes below the launcher by their depth below the rank's own: {depth: [process]}."""
        above, found = parents(), {}
        for pid in above:
            try:
                called = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
            except OSError:
                continue
            line, depth = pid, 0
            while line in above and line != process.pid:
                line = above[line]
                depth += pathlib.Path(f"/proc/{line}/comm").read_text().strip() == "rigor" if line in above else 0
            if called == "rigor" and line == process.pid:
                found.setdefault(depth, []).append(pid)
        return found

    def last_rank(self, process):
        """The process of the last rank, which does not lead."""
        def number(pid):
            words = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            return max(int(word.split(b"=")[1]) for word in words if word.startswith((b"PMI_RANK=", b"OMPI_COMM_WORLD_RANK=")))
        pid = max(self.workers(process)[0], key=number)
        self.assertGreater(number(pid), 0)
        return pid

    def lines(self, out):
        """Lines of the sweep's journal: one in front, then one a run; 0 where there is none, not yet or no longer."""
        journal = self.folder / f"{out}.journal"
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    def wait_for_lines(self, process, out, count):
        self.wait_until(lambda: self.lines(out) > count or process.poll() is not None)

    def disturb(self, disturb, ranks, *arguments, options=()):
        """Begins a sweep and calls disturb(process) in the midst of it: (process, file). A sweep that was over by then is
        begun again with more runs, however fast the machine is; disturb may find what it looks for gone."""
        seeds = 12
        while True:
            file = self.file(1, seeds)
            process = self.begin(ranks, file, "t", "--quiet", "--fresh", *arguments, options=options)
            self.wait_for_lines(process, "t", 2)
            try:
                disturb(process)
                if 0 < self.lines("t") < 2 * seeds * 3 // 4:
                    return process, file
            except (KeyError, OSError, ValueError):
                if seeds >= 3000:
                    raise
            if not process.stdout.closed:  # disturb may have waited for the end itself
                process.communicate()
            for old in self.folder.glob("t.*"):
                old.unlink()
            seeds *= 4

    def test_bytes_of_the_serial_table(self):
        file = self.file()
        self.serial(file)
        for ranks in (2, 4):
            self.end(self.begin(ranks, file, f"ranks{ranks}", "--quiet"))
        self.end(self.begin(2, file, "jobs", "--quiet", "--jobs", "2"))
        self.same("serial", "ranks2", "ranks4", "jobs")

    def test_worker_killed(self):
        """Who computes is killed: no option of the launcher is needed, the sweep ends complete."""
        process, file = self.disturb(lambda process: os.kill(self.workers(process)[2][-1], signal.SIGKILL), 3)
        self.end(process)
        self.serial(file)
        self.same("serial", "t")

    def test_rank_killed(self):
        """The process of a rank is killed: the others do its runs, and the sweep ends complete."""
        process, file = self.disturb(lambda process: os.kill(self.last_rank(process), signal.SIGKILL), 3, "--patience", "4",
                                     options=self.tolerant)
        self.end(process)
        self.serial(file)
        self.same("serial", "t")

    def test_ranks_that_differ_or_cannot(self):
        """A rank with another sweep, or none, is left out with a word, and waits for the end with the rest."""
        file, other = self.file(0.5, 12), self.write("other.yaml", self.file(0.5, 13).read_text())
        self.file(0.5, 12)
        self.serial(file)
        for second, says in ((other, "other files or other draws"), (self.folder / "nowhere.yaml", "cannot take part")):
            out = ["--out", str(self.folder / "t"), "--quiet", "--fresh", "--patience", "3"]
            command = [self.launcher, *self.plain, "-n", "2", tap.COMMAND, "sweep", str(file), *out, ":", "-n", "1", tap.COMMAND,
                       "sweep", str(second), *out]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       env=self.environment, start_new_session=True)
            self.assertIn(says, self.end(process))
            self.same("serial", "t")

    def test_rank_held_up(self):
        """A rank that is stopped for longer than others are patient comes back, and nothing is lost."""
        seeds = 40
        for _ in range(3):  # until one process has work for far longer than the rank is held up
            file, start = self.file(2, seeds), time.monotonic()
            self.serial(file, "--jobs", "1")
            took = time.monotonic() - start
            if took >= 12:
                break
            seeds = int(seeds * 16 / took) + 1
        process = self.begin(2, file, "t", "--quiet", "--patience", "3")
        self.wait_for_lines(process, "t", 2)
        rank = self.last_rank(process)
        os.kill(rank, signal.SIGSTOP)
        time.sleep(4.5)
        os.kill(rank, signal.SIGCONT)
        self.end(process)
        self.same("serial", "t")

    def test_all_killed(self):
        """The launcher and all of its processes are killed: serially, or on other ranks, it goes on."""
        def kill_all(process):
            family = [pid for pids in self.workers(process).values() for pid in pids]
            for pid in [process.pid, *family]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.communicate()
        _, file = self.disturb(kill_all, 3)
        said = self.end(self.begin(2, file, "t"))
        self.assertIn("runs were done", said)
        self.serial(file)
        self.same("serial", "t")


class Mpich(MpiTest, tap.CommandTest):
    word, plain, tolerant = "mpich", (), ()


class OpenMpi(MpiTest, tap.CommandTest):
    word, plain, tolerant = "openmpi", ("--oversubscribe",), ("--enable-recovery",)


if __name__ == "__main__":
    tap.main()
