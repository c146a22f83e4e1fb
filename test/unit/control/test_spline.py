#!/usr/bin/python3
"""Splines of the library (through its shared form) against scipy's CubicSpline: positions, velocities, accelerations."""
import ctypes
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
import tap  # noqa: E402

try:
    import numpy
    from scipy.interpolate import CubicSpline
except ImportError:
    numpy = None

LIBRARY = pathlib.Path(tap.COMMAND).resolve().parent / "librigor.so"
DOUBLES = ctypes.POINTER(ctypes.c_double)


class Reference(ctypes.Structure):
    _fields_ = [("position", ctypes.c_double), ("velocity", ctypes.c_double), ("acceleration", ctypes.c_double)]


class Def(ctypes.Structure):
    """RgTrajectoryDef of include/rigor/control.h."""
    _fields_ = [
        ("cookie", ctypes.c_uint32), ("kind", ctypes.c_char_p), ("naxes", ctypes.c_int),
        ("names", ctypes.POINTER(ctypes.c_char_p)), ("position", DOUBLES), ("amplitude", DOUBLES),
        ("frequency", DOUBLES), ("phase", DOUBLES), ("nknots", ctypes.c_int), ("times", DOUBLES), ("values", DOUBLES),
        ("periodic", ctypes.c_bool), ("natural", ctypes.c_bool), ("start_velocity", DOUBLES), ("end_velocity", DOUBLES),
        ("file", ctypes.c_char_p), ("alloc", ctypes.c_void_p), ("release", ctypes.c_void_p), ("context", ctypes.c_void_p),
    ]


def doubles(numbers):
    flat = [float(x) for x in numpy.ravel(numbers)]
    return (ctypes.c_double * len(flat))(*flat)


@unittest.skipUnless(numpy, "no scipy")
class Splines(unittest.TestCase):
    def setUp(self):
        if b"__asan_init" in LIBRARY.read_bytes():
            self.skipTest("a library with sanitizers cannot be loaded here")
        self.lib = ctypes.CDLL(str(LIBRARY))
        self.lib.rg_trajectory_def_default.restype = Def
        self.lib.rg_trajectory_create.restype = ctypes.c_void_p
        self.lib.rg_trajectory_create.argtypes = [ctypes.POINTER(Def), ctypes.c_void_p]
        self.lib.rg_trajectory_at.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.POINTER(Reference)]
        self.lib.rg_trajectory_destroy.argtypes = [ctypes.c_void_p]

    def draw(self, seed, closed):
        dice = random.Random(seed)
        knots, axes = dice.randint(3, 12), dice.randint(1, 4)
        times = numpy.cumsum([dice.uniform(0.02, 1.5) for _ in range(knots)]) - 2.0
        values = numpy.array([[dice.uniform(-3.0, 3.0) for _ in range(axes)] for _ in range(knots)])
        if closed:
            values[-1] = values[0]
        return times, values

    def compare(self, seed, ends):
        times, values = self.draw(seed, ends == "periodic")
        axes = values.shape[1]
        made = self.lib.rg_trajectory_def_default()
        made.kind, made.naxes, made.nknots = b"spline", axes, len(times)
        made.times, made.values = doubles(times), doubles(values)
        made.periodic, made.natural = ends == "periodic", ends == "natural"
        condition = ends
        if ends == "moving":
            start, end = numpy.linspace(-1.0, 2.0, axes), numpy.linspace(0.5, -0.7, axes)
            made.start_velocity, made.end_velocity = doubles(start), doubles(end)
            condition = ((1, start), (1, end))
        trajectory = self.lib.rg_trajectory_create(ctypes.byref(made), None)
        self.assertTrue(trajectory)
        twin = CubicSpline(times, values, bc_type=condition)
        out = (Reference * axes)()
        scale = [numpy.max(numpy.abs(twin(times, order))) + 1.0 for order in range(3)]
        for t in numpy.linspace(times[0], times[-1], 97):
            self.lib.rg_trajectory_at(trajectory, t, out)
            for order, name in enumerate(("position", "velocity", "acceleration")):
                ours = numpy.array([getattr(r, name) for r in out])
                worst = numpy.max(numpy.abs(ours - twin(t, order)))
                self.assertLess(worst, 1e-11 * scale[order], f"{name} at {t}, {ends}, seed {seed}")
        self.lib.rg_trajectory_destroy(trajectory)

    def test_against_scipy(self):
        for ends in ("clamped", "natural", "moving", "periodic"):
            for seed in range(25):
                with self.subTest(ends=ends, seed=seed):
                    self.compare(seed, ends)


if __name__ == "__main__":
    tap.main()
