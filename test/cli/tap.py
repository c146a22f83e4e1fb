"""What the tests of the command share: running it, and TAP lines ("ok N - name") for the counter of tests.

    test_cli_x.py [COMMAND]      COMMAND: the built `rigor`; default $RIGOR_COMMAND, else build/rigor
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
SHARED = pathlib.Path(os.environ.get("RIGOR_SHARED_MODELS", ROOT.parent / "shared" / "models"))
PATIENCE = 1200  # seconds that only a process that hangs takes, however busy the machine is
COMMAND = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RIGOR_COMMAND", str(ROOT / "build" / "rigor"))

needs_shared = unittest.skipUnless(SHARED.is_dir(), "no folder of shared models")


class CommandTest(unittest.TestCase):
    """A test with a folder of its own and the command at hand."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def rigor(self, *arguments, code=0, text=None):
        """Runs the command and checks its exit code; None: any."""
        done = subprocess.run([COMMAND, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn(done.returncode, [code] if code is not None else range(256), f"rigor {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done

    def wait_until(self, condition, process=None):
        """Waits for what another process does; fails where that ends first, or never does it."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertTrue(process is None or process.poll() is None, "the process ended before")
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.02)

    def once_in(self, times, check):
        """check(), which measures by the clock and may be disturbed by other programs, holds at least once."""
        for left in reversed(range(times)):
            try:
                return check()
            except AssertionError:
                if left == 0:
                    raise

    def json(self, *arguments, code=0, text=None):
        """The JSON that the command prints, and nothing else, on its standard output."""
        return json.loads(self.rigor(*arguments, "--json", "-", code=code, text=text).stdout)

    def refused(self, *arguments, says, code=2, text=None):
        """The command fails with the code and says each of the words."""
        done = self.rigor(*arguments, code=code, text=text)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)

    def refused_each(self, *arguments, cases):
        """The same with each of the last arguments, a word or several."""
        for last, says in cases.items():
            with self.subTest(last=last):
                self.refused(*arguments, *([last] if isinstance(last, str) else last), says=says)


class PlacesTest(CommandTest):
    """Each mistake is answered with file:line:column."""

    def wrong(self, text, place, says):
        path = self.write("run.yaml", text)
        done = self.rigor("run", path, code=2)
        self.assertIn(f"{path}:{place}: ", done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stdout, "")


class TapResult(unittest.TestResult):
    """Prints a line a test, before it what went wrong as comments."""

    def startTest(self, test):
        super().startTest(test)
        self.good, self.remark = True, ""

    def stopTest(self, test):
        name = test.id().split(".", 1)[1]
        print(f"{'ok' if self.good else 'not ok'} {self.testsRun} - {name}{self.remark}", flush=True)

    def addSkip(self, test, reason):
        self.remark = f" # SKIP {reason}"

    def wrong(self, text):
        self.good = False
        print("# " + text.rstrip().replace("\n", "\n# "))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.wrong(self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.wrong(self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.wrong(f"{subtest}: {err[1]}")


def main():
    """Runs every test of the calling script; exit status 1 if one fails."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
