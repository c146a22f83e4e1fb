#!/usr/bin/python3
"""Messages by MPI as the command passes them (cluster_talk under mpirun): whole, in order, and on where a rank is lost.

Each test runs once for MPICH and once for Open MPI, and is skipped where mpirun or the module of one is missing."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import tap  # noqa: E402

BUILD = pathlib.Path(tap.COMMAND).resolve().parent
TALK = BUILD / "test" / "cluster_talk"
ROOT_TOO = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCHERS = ("OMPI_", "PMI", "SLURM_", "RIGOR_M")


def environment(**more):
    """That of a user's shell, whatever has started this test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    return {**kept, **ROOT_TOO, "RIGOR_MODULES": str(BUILD), **more}


class ClusterTest:
    """What both are asked for; the classes below tell how."""

    def setUp(self):
        self.launcher = shutil.which(f"mpirun.{self.word}")
        if not self.launcher:
            self.skipTest(f"mpirun.{self.word} is not installed")
        if not (BUILD / f"rigor_{self.word}.so").exists():
            self.skipTest(f"rigor_{self.word}.so was not built")

    def talk(self, ranks, *words, options=(), code=0, **variables):
        """Runs cluster_talk on so many ranks; what they said."""
        command = [self.launcher, *self.plain, *options, "-n", str(ranks), str(TALK), *map(str, words)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=environment(**variables), start_new_session=True) as process:
            try:
                said, _ = process.communicate(timeout=tap.PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                said, _ = process.communicate()
                self.fail(f"does not end: {' '.join(command)}\n{said}")
        self.assertEqual(process.returncode, code, f"{' '.join(command)}\n{said}")
        return said

    def test_messages_whole_and_in_order(self):
        said = self.talk(3, "ring")
        for rank in range(3):
            self.assertIn(f"rank {rank}: of 3 by {self.name}", said)
            self.assertIn(f"rank {rank}: 180 of 180 messages whole and in order", said)

    def test_on_without_a_rank_that_hangs(self):
        """No option of the launcher is needed; rank 0 ends the job, the rank that hangs with it."""
        said = self.talk(3, "lose", 1, 1, 1000, "stop")
        self.assertIn("rank 0: went on with 1 others after the loss of rank 1", said)

    def test_on_without_a_rank_that_was_killed(self):
        """By the launcher's option for that, with long messages in the midst, which do not fit into one piece."""
        said = self.talk(self.ranks, "lose", 1, 1, 100000, "kill", options=self.tolerant)
        self.assertRegex(said, r"rank 0: went on with [12] others after the loss of rank 1")

    def test_module_of_another_mpi_is_found_out(self):
        other = "openmpi" if self.word == "mpich" else "mpich"
        if not (BUILD / f"rigor_{other}.so").exists():
            self.skipTest(f"rigor_{other}.so was not built")
        said = self.talk(2, "ring", code=3, RIGOR_MPI=other)
        self.assertRegex(said, "the launcher has started 2 processes, but .* finds 1")


class Mpich(ClusterTest, unittest.TestCase):
    word, name, plain = "mpich", "MPICH", ()
    # A killed rank takes those of its machine with it: two names of this one are two machines, with two ranks each.
    ranks, tolerant = 4, ("-launcher", "fork", "-hosts", "localhost,127.0.0.1", "-disable-auto-cleanup")


class OpenMpi(ClusterTest, unittest.TestCase):
    word, name, plain = "openmpi", "Open MPI", ("--oversubscribe",)
    ranks, tolerant = 3, ("--enable-recovery",)


if __name__ == "__main__":
    tap.main()
