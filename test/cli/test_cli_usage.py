#!/usr/bin/python3
"""Help, version, and what the command says to mistakes on its command line."""
import tap

ARM = tap.MODELS / "arm6.urdf"


class Usage(tap.CommandTest):
    def test_version(self):
        self.assertRegex(self.rigor("--version").stdout, r"^rigor \d+\.\d+\.\d+\n$")

    def test_help_names_commands_and_exit_codes(self):
        for words in (["--help"], ["help"], ["-h"]):
            text = self.rigor(*words).stdout
            for expected in ("run", "info", "doctor", "Exit codes: 0"):
                self.assertIn(expected, text)

    def test_command_help_lists_its_options(self):
        self.assertEqual(self.rigor("help", "run").stdout, self.rigor("run", "--help").stdout)
        for expected in ("--stepper NAME", "semi-implicit", "maximal", "--set JOINT=Q"):
            self.assertIn(expected, self.rigor("run", "--help").stdout)

    def test_no_arguments_is_wrong_usage(self):
        self.refused(says="rigor COMMAND FILE")

    def test_unknown_command_suggests(self):
        self.refused("doctr", ARM, says=["unknown command 'doctr'", "did you mean 'doctor'?"])

    def test_unknown_option_suggests(self):
        self.refused("run", ARM, "--stepr", "rk4", says=["unknown option --stepr", "did you mean --step"])

    def test_unknown_option_without_neighbour(self):
        done = self.rigor("run", ARM, "--zzzzzzzz", code=2)
        self.assertNotIn("did you mean", done.stderr)

    def test_a_table_or_a_run_file_is_not_written_to_a_file_called_minus(self):
        path = tap.MODELS / "following.yaml"
        for words in (("maxstep", path, "--csv"), ("converge", path, "--csv"), ("tune", path, "--write"),
                      ("run", path, "--dump-step", "1", "--dump")):
            self.refused(*words, "-", says="give a file name")

    def test_missing_value(self):
        self.refused("run", ARM, "--time", says="--time needs a value")
        self.refused("run", ARM, "--json", "--quiet", says="--json needs a value")

    def test_switch_takes_no_value(self):
        self.refused("run", ARM, "--quiet=yes", says="--quiet takes no value")

    def test_bad_numbers(self):
        for value in ("abc", "1e", "nan", "0x10", "1 2", "1e999"):
            self.refused("run", ARM, "--time", value, says=f"--time: expected a number, found '{value}'")
        self.refused("run", ARM, "--time", "inf", says="--time: inf is not between")
        self.refused("run", ARM, "--time", "-1", says="is not between")
        self.refused("run", ARM, "--step", "0", says="is not between")
        self.refused("run", ARM, "--stepper", "reference", "--tolerance", "0", says="between 1e-14 and 1")
        self.refused("run", ARM, "--gravity", "0,0", says="expected three numbers")
        self.refused("run", ARM, "--every", "2.5", says="whole number")

    def test_unknown_words(self):
        self.refused("run", ARM, "--stepper", "rk5", says=["unknown 'rk5'", "rk4"])
        self.refused("run", ARM, "--coords", "polar", says=["unknown 'polar'", "minimal", "maximal"])
        self.refused("info", ARM, "--base", "loose", says="auto, fixed or floating")

    def test_one_file(self):
        self.refused("info", says="no file given")
        self.refused("info", ARM, ARM, says="expected one file")

    def test_single_dash(self):
        self.refused("run", ARM, "-time", says="two dashes")

    def test_unreadable_file(self):
        self.refused("info", self.folder / "nothing.urdf", says=["nothing.urdf", "No such file"])
        self.refused("info", self.folder, says="directory")
        self.refused("info", self.write("empty.urdf", ""), says="empty file")
        self.refused("info", self.write("notes.md", "# Notes\n\nSome: text: here\n"), says="expected URDF, SDF or a YAML run file")
        self.refused("info", self.write("notes.md", "Only words\n"), says="expected URDF, SDF or a YAML run file")

    def test_standard_input(self):
        fromfile = self.json("info", ARM)
        self.assertEqual(fromfile, self.json("info", "-", text=ARM.read_text()))

    def test_file_after_double_dash(self):
        self.assertIn("arm6", self.rigor("info", "--", ARM).stdout)


if __name__ == "__main__":
    tap.main()
