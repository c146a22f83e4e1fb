#!/usr/bin/python3
"""Recordings of `rigor run` as MCAP and `rigor export`: the same rows in all formats, ends of all kinds, files that are no
recordings."""
import csv
import filecmp
import os
import resource
import signal
import struct
import subprocess
import time
import unittest

import tap

try:
    import numpy
except ImportError:
    numpy = None

STANDING = tap.MODELS / "standing.yaml"
ARM = tap.MODELS / "arm6.urdf"
MAGIC = b"\x89MCAP0\r\n"


def records(data):
    """(opcode, content) of every whole record of an MCAP file."""
    at = len(MAGIC)
    while at + 9 <= len(data):
        opcode, length = struct.unpack_from("<BQ", data, at)
        if at + 9 + length > len(data):
            return
        yield opcode, data[at + 9:at + 9 + length]
        at += 9 + length


class Recordings(tap.CommandTest):
    def rows(self, path):
        with open(path, newline="") as file:
            return list(csv.reader(file))

    def test_export_is_what_would_have_been_recorded(self):
        mcap, table, npz = (self.folder / name for name in ("a.mcap", "a.csv", "a.npz"))
        for model, rate in ((STANDING, "60"), (tap.MODELS / "closed_loops.yaml", "100"), (ARM, "1000")):
            run = ("run", model, "--time", "0.5", "--record-rate", rate, "--quiet")
            self.rigor(*run, "--record", mcap, "--csv", table)
            self.rigor(*run, "--record", npz)
            self.rigor("export", mcap, "--csv", self.folder / "b.csv", "--npz", self.folder / "b.npz")
            self.assertTrue(filecmp.cmp(table, self.folder / "b.csv", shallow=False), model)
            self.assertTrue(filecmp.cmp(npz, self.folder / "b.npz", shallow=False), model)

    def test_recording_changes_nothing(self):
        """Not the state, and the same run gives the same file."""
        plain = self.json("run", STANDING)["state_hash"]
        for name in ("a.mcap", "b.mcap"):
            self.assertEqual(self.json("run", STANDING, "--record", self.folder / name)["state_hash"], plain)
        self.assertTrue(filecmp.cmp(self.folder / "a.mcap", self.folder / "b.mcap", shallow=False))

    def test_rates(self):
        """60 rows a second where nobody says otherwise, to whole steps; the last state is always there."""
        mcap, table = self.folder / "a.mcap", self.folder / "a.csv"
        for options, rows in (((), 1 + 2000 // 17 + 1), (("--every", "500"), 5), (("--record-rate", "10"), 21),
                              (("--record-rate", "1e6"), 2001)):
            self.rigor("run", STANDING, "--record", mcap, *options)
            self.rigor("export", mcap, "--csv", table)
            got = self.rows(table)[1:]
            self.assertEqual(len(got), rows, options)
            self.assertAlmostEqual(float(got[-1][0]), 2.0, 9)
        self.refused("run", STANDING, "--every", "2", "--record-rate", "10", says="give one of them")
        self.refused("run", STANDING, "--record-rate", "0", says="--record-rate")

    def test_run_file_may_ask_for_it(self):
        run = self.write("run.yaml", f"models: [{{file: '{ARM}'}}]\nduration: 1\noutputs: {{record: out.mcap, rate: 5}}\n")
        self.assertEqual(self.json("run", run)["rows"], 6)
        self.assertTrue((self.folder / "out.mcap").read_bytes().endswith(MAGIC))
        both = self.write("b.yaml", f"models: [{{file: '{ARM}'}}]\noutputs: {{record: o.mcap, rate: 5, every: 3}}\n")
        self.refused("run", both, says="'every' and 'rate'")

    def start(self, out):
        """A run that would take days, when its recording has grown to some chunks."""
        process = subprocess.Popen([tap.COMMAND, "run", str(STANDING), "--time", "1e7", "--record", str(out), "--every",
                                    "10", "--quiet"])
        grown = out if out.suffix == ".mcap" else self.folder
        for _ in range(1000):
            time.sleep(0.02)
            size = out.stat().st_size if out.exists() else 0
            if size > 600000 or (grown.is_dir() and time.time() - os.stat(grown).st_mtime > 0.7):
                break
        return process

    def test_interrupted_recordings_are_whole(self):
        for code, name in ((signal.SIGINT, "a.mcap"), (signal.SIGTERM, "b.mcap"), (signal.SIGINT, "a.csv"),
                           (signal.SIGTERM, "a.npz")):
            out = self.folder / name
            process = self.start(out)
            process.send_signal(code)
            process.wait(60)
            self.assertEqual(process.returncode, 128 + code)
            if name.endswith("mcap"):
                self.assertTrue(out.read_bytes().endswith(MAGIC))
                self.assertEqual(self.rigor("export", out, "--csv", self.folder / "rows").stderr, "")
                self.assertGreater(len(self.rows(self.folder / "rows")), 50)
            elif name.endswith("csv"):
                self.assertEqual(len({len(row) for row in self.rows(out)}), 1)
            elif numpy:
                self.assertGreater(len(numpy.load(out)["t"]), 50)

    def test_killed_recording_is_read_up_to_its_last_chunk(self):
        out = self.folder / "killed.mcap"
        process = self.start(out)
        process.kill()
        process.wait()
        data = out.read_bytes()
        chunks = [content for opcode, content in records(data) if opcode == 6]
        last = max(struct.unpack_from("<QQ", chunk)[1] for chunk in chunks)
        done = self.rigor("export", out, "--csv", self.folder / "rows")
        self.assertIn("truncated", done.stderr)
        rows = self.rows(self.folder / "rows")
        self.assertGreater(len(rows), 50)
        self.assertAlmostEqual(float(rows[-1][0]), 1e-9 * last, delta=0.0101)

        # Cut anywhere else: as far as chunks go, or a word.
        for part in (0.9, 0.5):
            cut = self.folder / "cut.mcap"
            cut.write_bytes(data[:int(part * len(data))])
            self.rigor("export", cut, "--csv", self.folder / "fewer")
            fewer = self.rows(self.folder / "fewer")
            self.assertEqual(fewer, rows[:len(fewer)])
            self.assertLess(len(fewer), len(rows))
        cut.write_bytes(data[:200])
        self.refused("export", cut, "--csv", self.folder / "none", says=["no message of /rigor/scene", "cut off"])

    def test_zeros_at_the_end(self):
        """A power cut leaves a file of some length with zeros in it: it is read up to there, and that is said."""
        whole, cut = self.folder / "whole.mcap", self.folder / "cut.mcap"
        self.rigor("run", STANDING, "--record", whole, "--csv", self.folder / "all", "--record-rate", "60", "--quiet")
        data, rows = whole.read_bytes(), self.rows(self.folder / "all")
        for part in (0.5, 0.8, 0.95):
            end = int(part * len(data))
            cut.write_bytes(data[:end] + bytes(len(data) - end + 5000))
            done = self.rigor("export", cut, "--csv", self.folder / "fewer")
            self.assertIn("truncated", done.stderr)
            fewer = self.rows(self.folder / "fewer")
            self.assertEqual(fewer, rows[:len(fewer)])
            self.assertGreater(len(fewer), 1)
        cut.write_bytes(data[:200] + bytes(5000))
        self.refused("export", cut, "--csv", self.folder / "none", says=["no message of /rigor/scene", "cut off"])

    def test_memory_does_not_grow(self):
        """A recording ten times as long takes no more of it."""
        most = []
        for seconds in ("20", "200"):
            process = subprocess.Popen([tap.COMMAND, "run", str(ARM), "--time", seconds, "--record",
                                        str(self.folder / "a.mcap"), "--every", "20", "--quiet"])
            most.append(os.wait4(process.pid, 0)[2].ru_maxrss)
            process.returncode = 0
        self.assertGreater((self.folder / "a.mcap").stat().st_size, 3e6)
        self.assertLess(most[1] - most[0], 700, most)

    def test_damage_is_told(self):
        out = self.folder / "a.mcap"
        self.rigor("run", STANDING, "--record", out, "--quiet")
        data = bytearray(out.read_bytes())
        data[len(data) // 2] ^= 0x55
        out.write_bytes(data)
        self.refused("export", out, "--csv", self.folder / "rows", says=["a.mcap", "damaged at byte"])
        self.assertFalse((self.folder / "rows").exists())

    def test_index_that_is_wrong_is_not_needed(self):
        """A damaged summary is found by its checksum; the file is then walked."""
        out = self.folder / "a.mcap"
        self.rigor("run", STANDING, "--record", out, "--csv", self.folder / "a.csv", "--record-rate", "60", "--quiet")
        data = bytearray(out.read_bytes())
        data[-200] ^= 1
        out.write_bytes(data)
        self.rigor("export", out, "--csv", self.folder / "b.csv")
        self.assertTrue(filecmp.cmp(self.folder / "a.csv", self.folder / "b.csv", shallow=False))

    def test_what_is_no_recording(self):
        out = self.folder / "rows.csv"
        self.refused("export", ARM, "--csv", out, says="does not begin with the MCAP magic")
        self.refused("export", self.folder / "nowhere.mcap", "--csv", out, says="No such file")
        self.refused("export", self.folder, "--csv", out, says="no regular file")
        self.refused("export", self.write("empty", ""), "--csv", out, says="is empty")
        foreign = self.folder / "foreign.mcap"
        foreign.write_bytes(MAGIC + struct.pack("<BQII", 1, 8, 0, 0) + struct.pack("<BQI", 15, 4, 0) +
                            struct.pack("<BQQQI", 2, 20, 0, 0, 0) + MAGIC)
        self.refused("export", foreign, "--csv", out, says="no recording of rigor")
        zstd = self.folder / "zstd.mcap"
        zstd.write_bytes(MAGIC + struct.pack("<BQII", 1, 8, 0, 0) +
                         struct.pack("<BQQQQII4sQ", 6, 44, 0, 0, 0, 0, 4, b"zstd", 0))
        self.refused("export", zstd, "--csv", out, says=["zstd", "lz4"])
        self.assertFalse(out.exists())

    def test_usage(self):
        out = self.folder / "a.mcap"
        self.rigor("run", ARM, "--time", "0.1", "--record", out, "--quiet")
        self.refused("export", out, says="nothing to write")
        self.refused("export", out, "--csv", out, says="overwrite the recording")
        self.refused("export", out, "--csv", "-", says="standard output")
        self.refused("export", out, "--csv", self.folder / "x", "--npz", self.folder / "x", says="two outputs")
        self.refused("export", out, "--csv", self.folder / "no" / "x", says="No such file", code=1)

    def test_disk_full_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", self.folder / "full.mcap")
        self.refused("run", ARM, "--record", self.folder / "full.mcap", code=1, says="No space left")

    def test_file_that_may_not_grow_is_told(self):
        """The run ends with the reason; what was written before can be read."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (400000, 400000))
        out = self.folder / "a.mcap"
        done = subprocess.run([tap.COMMAND, "run", str(STANDING), "--time", "100", "--record", str(out)], text=True,
                              capture_output=True, preexec_fn=limit, timeout=tap.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr)
        self.rigor("export", out, "--csv", self.folder / "rows")
        self.assertGreater(len(self.rows(self.folder / "rows")), 100)


if __name__ == "__main__":
    tap.main()
