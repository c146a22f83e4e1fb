#!/usr/bin/python3
"""A live `rigor view`: every command, bodies that are pulled, slow and rude viewers."""
import json
import time

import tap
from view_test import ViewTest, topics
from viewer_client import BINARY, Closed


class Live(ViewTest):
    def test_first_words(self):
        _, viewer, hello = self.live()
        self.assertEqual(hello["mode"], "live")
        self.assertEqual(hello["version"], self.rigor("--version").stdout.split()[1])
        for name in ("/robot_description", "/rigor/scene", "/tf", "/rigor/contacts", "/rigor/step", "/rigor/events"):
            self.assertIn(name, topics(hello).values())
        for channel in hello["channels"]:
            self.assertTrue(channel["schema"])
        self.assertEqual((hello["status"]["dropped"], hello["status"]["dropped_events"]), (0, 0))

        # What comes once comes first, then a frame of the present state.
        once = [viewer.receive() for _ in range(2)]
        self.assertEqual({topics(hello)[m[0]] for m in once}, {"/robot_description", "/rigor/scene"})
        scene = json.loads(next(m[3] for m in once if topics(hello)[m[0]] == "/rigor/scene"))
        self.assertEqual([link["name"] for link in scene["links"]], ["floor", "box0"])
        self.assertEqual(self.step_of(viewer, hello)["t"], 0.0)

    def test_time_goes_with_the_clock(self):
        _, viewer, hello = self.live()

        def by_the_clock():
            self.step_of(viewer, hello)
            begin, t0 = time.monotonic(), self.step_of(viewer, hello)["t"]
            while time.monotonic() < begin + 1.0:
                t = self.step_of(viewer, hello)["t"]
            elapsed = time.monotonic() - begin
            self.assertLess(t - t0, elapsed + 0.15)
            self.assertGreater(t - t0, 0.3 * elapsed)
        self.once_in(20, by_the_clock)

    def test_waits_for_the_first_viewer(self):
        view = self.view(self.scene())
        time.sleep(0.3)
        _, hello = self.join(view)
        self.assertEqual(hello["status"]["t"], 0.0)

    def test_paused_play_pause(self):
        _, viewer, hello = self.live("--paused")
        self.assertFalse(hello["status"]["running"])
        viewer.send("play")
        viewer.text("status", running=True)
        self.place_of(viewer, hello, "box0", lambda ns: ns > 0)
        viewer.send("pause")
        t = viewer.text("status", running=False)["t"]
        time.sleep(0.3)
        self.assertEqual(viewer.text("status", running=False)["t"], t)

    def test_step(self):
        _, viewer, hello = self.live("--paused", "--step", 0.002)
        viewer.send("step")
        viewer.until(lambda m: isinstance(m, dict) and m.get("t") == 0.002)
        viewer.send("step", n=100)
        end = viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 0.2)
        self.assertAlmostEqual(end["t"], 0.202, places=12)
        self.assertFalse(end["running"])

    def test_step_while_it_runs_pauses(self):
        _, viewer, hello = self.live()
        viewer.send("step")
        t = viewer.text("status", running=False)["t"]
        viewer.text("status")
        self.assertLess(viewer.text("status", running=False)["t"] - t, 0.02)

    def test_speed(self):
        _, viewer, hello = self.live("--paused")
        viewer.send("speed", value=0)
        viewer.text("status", speed=0)
        begin = time.monotonic()
        viewer.send("play")
        t = viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 3.0)["t"]
        self.assertGreater(t, 0.0)
        viewer.send("pause")
        viewer.text("status", running=False)

        def at_a_tenth():
            viewer.send("reset")
            viewer.send("speed", value=0.1)
            viewer.text("status", speed=0.1)
            begin = time.monotonic()
            viewer.send("play")
            time.sleep(1.0)
            viewer.send("pause")
            t = viewer.text("status", running=False)["t"]
            self.assertLess(t, 0.1 * (time.monotonic() - begin) + 0.01)
            self.assertGreater(t, 0.02)
        self.once_in(20, at_a_tenth)

    def test_reset(self):
        _, viewer, hello = self.live()
        start = self.place_of(viewer, hello, "box0")
        viewer.send("speed", value=0)
        viewer.send("drag", link=1, point=[0, 0, 0], target=[0, 0, 3])
        viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 1.0)
        viewer.send("pause")
        viewer.text("status", running=False)
        viewer.send("reset")
        self.assertEqual(self.place_of(viewer, hello, "box0", lambda ns: ns == 0), start)
        viewer.text("status", t=0.0)
        viewer.send("step")
        self.assertAlmostEqual(self.place_of(viewer, hello, "box0", lambda ns: ns > 0)[2], start[2], places=4)

    def test_set(self):
        _, viewer, hello = self.live()
        for fields in ({"solver": "pgs"}, {"stepper": "rk4"}, {"dt": 0.004},
                       {"stepper": "semi-implicit", "solver": "quick", "dt": 0.001}):
            viewer.send("set", **fields)
            before = viewer.text("status", **fields)
            after = viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > before["t"])
            self.assertTrue(after["running"])
            self.assertNotIn("error", after)

    def test_a_solver_that_nobody_chose_goes_with_the_stepper(self):
        _, viewer, _ = self.live("--paused")
        viewer.send("set", stepper="rigid")
        viewer.text("status", stepper="rigid", solver="cone")
        viewer.send("set", stepper="rk4")
        viewer.text("status", stepper="rk4", solver="quick")
        viewer.send("set", solver="dantzig")
        viewer.text("status", solver="dantzig")
        viewer.send("set", stepper="rigid")
        viewer.text("status", stepper="rigid", solver="dantzig")

    def test_set_keeps_the_state(self):
        _, viewer, hello = self.live("--paused")
        viewer.send("drag", link=1, point=[0, 0, 0], target=[1, 2, 3])
        viewer.send("step", n=300)
        place = self.place_of(viewer, hello, "box0", lambda ns: ns > 299e6)
        viewer.send("release")
        viewer.send("set", solver="pgs", stepper="euler")
        viewer.text("status", solver="pgs")
        other, words = self.join(self.last_view)
        self.assertEqual(self.place_of(other, words, "box0"), place)

    def test_totals_of_energy(self):
        """Sums since the start or the last reset: whoever looks, and by whatever solver and stepper."""
        view = self.view(self.scene(1, 2.0), "--paused", "--dissipation", 0.001)
        viewer, hello = self.join(view)
        taken = []

        def total(t):
            while True:
                step = self.step_of(viewer, hello)
                if abs(step["t"] - t) < 1e-9:
                    return step["aids"]["dissipation"]["total"], step["work_sum"]["impacts"]

        # All leave in the middle; somebody else comes.
        viewer.send("step", n=300)
        taken.append(total(0.3))
        viewer.close()
        viewer, hello = self.join(view)
        self.assertEqual(total(0.3), taken[0])
        viewer.send("set", solver="pgs")
        viewer.text("status", solver="pgs")
        viewer.send("step", n=700)
        taken.append(total(1.0))
        viewer.send("set", stepper="euler", solver="quick")
        viewer.text("status", stepper="euler")
        viewer.send("step")
        taken.append(total(1.001))
        self.assertLess(taken[0][0], 0.0)
        self.assertLess(taken[1][0], taken[0][0])
        self.assertLess(taken[1][1], 0.0)
        self.assertLessEqual(taken[2][0], taken[1][0])
        self.assertLessEqual(taken[2][1], taken[1][1])
        viewer.send("reset")
        self.assertEqual(total(0.0), (0.0, 0.0))

    def live(self, *arguments):
        self.last_view, viewer, hello = super().live(*arguments)
        return self.last_view, viewer, hello

    def test_what_is_refused_changes_nothing(self):
        _, viewer, hello = self.live("--sleeping", "--paused")
        before = viewer.text("status")
        for message, word in (({"op": "set", "solver": "magic"}, "quick"), ({"op": "set", "stepper": "rk5"}, "rk4"),
                              ({"op": "set", "dt": 1e9}, "between"), ({"op": "set", "dt": 1e-12}, "between"),
                              ({"op": "set", "stepper": "rk4"}, "sleep"), ({"op": "set"}, "expected"),
                              ({"op": "set", "solver": "pgs", "dt": 1e9}, "between"),
                              ({"op": "drag", "link": 7, "point": [0, 0, 0], "target": [0, 0, 0]}, "2 links"),
                              ({"op": "drag", "link": 0, "point": [0, 0, 0], "target": [0, 0, 0]}, "does not move")):
            viewer.send_bytes(json.dumps(message).encode())
            self.assertIn(word, viewer.text("error")["text"], message)
        after = viewer.text("status")
        for key in ("t", "stepper", "solver", "dt", "running", "speed"):
            self.assertEqual(before[key], after[key])

    def test_bad_messages(self):
        _, viewer, _ = self.live()
        for message, word in ((b"", "not JSON"), (b"{", "not JSON"), (b"[]", "op"), (b"{}", "op"), (b'{"op":1}', "op"),
                              (b'{"op":"fly"}', "unknown command 'fly'"), (b'{"op":"play","x":1}', "unknown field 'x'"),
                              (b'{"op":"step","n":0}', "n must be"), (b'{"op":"step","n":1.5}', "n must be"),
                              (b'{"op":"speed"}', "value must be"), (b'{"op":"speed","value":-1}', "value must be"),
                              (b'{"op":"speed","value":"1"}', "value must be"), (b'{"op":"set","dt":0}', "dt must be"),
                              (b'{"op":"set","solver":5}', "solver must be"), (b'{"op":"play","op":"pause"}', "not JSON"),
                              (b'{"op":"drag","link":-1,"point":[0,0,0],"target":[0,0,0]}', "link must be"),
                              (b'{"op":"drag","link":1,"point":[0,0],"target":[0,0,0]}', "point must be"),
                              (b'{"op":"drag","link":1,"point":[0,0,0],"target":[0,0,1e99]}', "target must be"),
                              (b'"\xff\xfe"', "not JSON"), (b"[" * 4000, "not JSON"), (b'{"op":"fly\\u0000"}', "")):
            viewer.send_bytes(message)
            self.assertIn(word, viewer.text("error")["text"], message)
        viewer.send_bytes(b'{"op":"play"}', BINARY)
        self.assertIn("text message", viewer.text("error")["text"])
        viewer.send("pause")
        viewer.text("status", running=False)

    def test_long_messages(self):
        view, viewer, _ = self.live()
        viewer.send_bytes(b'{"op":"pause"}' + b" " * (4096 - 14))
        viewer.text("status", running=False)
        viewer.send_bytes(b'{"op":"play"}' + b" " * (4097 - 13))
        with self.assertRaises(Closed) as closed:
            while True:
                viewer.receive()
        self.assertEqual((closed.exception.code, closed.exception.reason), (1009, "a message may have at most 4096 bytes"))
        other, _ = self.join(view)
        with self.assertRaises((Closed, ConnectionError)):
            for _ in range(20):
                other.send_bytes(b" " * 1000, last=False)
            while True:
                other.receive()
        self.assertFalse(self.join(view)[1]["status"]["running"])

    def test_message_in_parts(self):
        _, viewer, _ = self.live()
        viewer.send_bytes(b'{"op":', last=False)
        viewer.send_bytes(b'"pause"}', code=0)
        viewer.text("status", running=False)

    def test_floods_of_commands_are_survived(self):
        view, viewer, hello = self.live()
        for i in range(3000):
            viewer.send("speed", value=i % 7)
        other, words = self.join(view)
        self.step_of(other, words)
        viewer.send("pause")
        viewer.until(lambda m: isinstance(m, dict) and (m["op"] == "error" or m.get("running") is False))
        self.assertEqual(view.get("/config.json")[0], 200)

    def test_viewers_come_and_go_during_long_steps(self):
        """Hundreds of them within steps that take long: who stays is served."""
        view = self.view(self.scene(400, 0.3), "--speed", 0)
        for _ in range(200):
            view.viewer().close()
        viewer, hello = self.join(view)
        first = self.step_of(viewer, hello)["t"]
        self.assertGreater(self.step_of(viewer, hello)["t"], first)


class Dragged(ViewTest):
    def drag(self, *arguments, target=(1.0, 0.5, 2.0), link=1, name="box0", point=(0.0, 0.0, 0.0), scene=None, seconds=3.0):
        """Where a link is after it was pulled for some simulated seconds, as fast as it goes."""
        view = self.view(scene or self.scene(), "--speed", 0, "--paused", *arguments)
        viewer, hello = self.join(view)
        viewer.send("drag", link=link, point=point, target=target)
        viewer.send("play")
        viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > seconds)
        viewer.send("pause")
        status = viewer.text("status", running=False)
        self.assertNotIn("error", status)
        viewer.send("step")
        return viewer, hello, self.place_of(viewer, hello, name)

    def test_body_comes_to_the_target(self):
        # At rest the spring, softer by the factor of a step, carries the weight: w^2 z / (1 + 2 w h + w^2 h^2) = g.
        for h, arguments in ((0.001, ()), (0.02, ()), (0.001, ("--solver", "pgs")), (0.001, ("--coords", "maximal")),
                             (0.002, ("--stepper", "rk4")), (0.001, ("--sleeping",))):
            place = self.drag("--step", h, *arguments)[2]
            for got, wanted in zip(place, (1.0, 0.5, 2.0 - 9.81 / 144 * (1 + 12 * h) ** 2)):
                self.assertAlmostEqual(got, wanted, delta=1e-3, msg=str(arguments))

    def test_no_overshoot(self):
        view = self.view(self.scene(), "--gravity", "0,0,0", "--paused", "--step", 0.002)
        viewer, hello = self.join(view)
        viewer.send("drag", link=1, point=[0, 0, 0], target=[0, 0, 1.25])
        highest = 0.0
        for _ in range(80):
            viewer.send("step", n=10)
            highest = max(highest, self.place_of(viewer, hello, "box0")[2])
        self.assertGreater(highest, 1.24)
        self.assertLess(highest, 1.2501)

    def test_corner_of_a_box_with_long_steps(self):
        # Steps of a tenth of a second, a body without contact and weight, held far from its centre: no growth, and the
        # corner ends at the target.
        _, _, place = self.drag("--step", 0.1, "--no-contact", "--gravity", "0,0,0", point=(0.25, 0.25, 0.25), seconds=200.0)
        self.assertLess(abs(sum((a - b) ** 2 for a, b in zip(place, (1.0, 0.5, 2.0))) ** 0.5 - 0.75 ** 0.5 / 2), 0.1)

    def test_robot_is_lifted_by_a_foot(self):
        scene = tap.MODELS / "standing.yaml"
        view = self.view(scene, "--speed", 0, "--paused")
        viewer, hello = self.join(view)
        number = next(i for i, topic in topics(hello).items() if topic == "/rigor/scene")
        links = json.loads(viewer.until(lambda m: isinstance(m, tuple) and m[0] == number)[3])["links"]
        lightest = min((i for i, link in enumerate(links) if link["moving"] and link["mass"] > 0),
                       key=lambda i: links[i]["mass"])
        name = links[lightest]["name"]
        viewer.send("drag", link=lightest, point=[0, 0, 0], target=[0, 0, 3])
        viewer.send("play")
        viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 4.0)
        viewer.send("pause")
        self.assertNotIn("error", viewer.text("status", running=False))
        viewer.send("step")
        self.assertGreater(self.place_of(viewer, hello, name)[2], 2.0)

    def test_release(self):
        viewer, hello, place = self.drag()
        t = viewer.text("status")["t"]
        viewer.send("release")
        viewer.send("step", n=100)
        while self.step_of(viewer, hello)["t"] < t + 0.0995:
            pass
        viewer.send("step")

        # The single steps before and behind the hundred may be in it, and the method adds half of one: 9.81 * 0.1 * 0.0025.
        self.assertAlmostEqual(self.place_of(viewer, hello, "box0")[2], place[2] - 0.5 * 9.81 * 0.1 ** 2, delta=2.6e-3)

    def test_who_leaves_lets_go(self):
        view = self.view(self.scene(), "--speed", 0)
        viewer, hello = self.join(view)
        viewer.send("drag", link=1, point=[0, 0, 0], target=[0, 0, 2])
        self.assertGreater(self.height_at(viewer, hello, 3.0), 1.5)
        other, words = self.join(view)
        viewer.close()
        self.assertLess(self.height_at(other, words, self.step_of(other, words)["t"] + 3.0), 0.3)

    def height_at(self, viewer, hello, t):
        while self.step_of(viewer, hello)["t"] < t:
            pass
        return self.place_of(viewer, hello, "box0")[2]


class Slow(ViewTest):
    def watch(self, viewer, hello, seconds):
        """Simulated seconds and frames that a viewer sees in a second of the clock."""
        begin, first, frames = time.monotonic(), self.step_of(viewer, hello)["t"], 0
        while time.monotonic() < begin + seconds:
            last = self.step_of(viewer, hello)["t"]
            frames += 1
        elapsed = time.monotonic() - begin
        return (last - first) / elapsed, frames / elapsed

    def test_slow_viewer_loses_frames_and_delays_nobody(self):
        view = self.view(self.scene(150), "--frames", 100)
        quick, hello = self.join(view)
        alone = self.watch(quick, hello, 0.7)
        slow, _ = self.join(view, receive_buffer=4096)

        def as_if_alone():
            beside = self.watch(quick, hello, 1.5)
            self.assertGreater(beside[0], 0.4 * alone[0])
            self.assertGreater(beside[1], 0.4 * alone[1])
        self.once_in(20, as_if_alone)

        # It wakes up: the frames in between are gone, and counted.
        numbers, dropped = [], 0
        end = time.monotonic() + tap.PATIENCE
        while dropped <= 20 and time.monotonic() < end:
            message = slow.receive()
            if isinstance(message, dict):
                dropped = message.get("dropped", 0)
            elif message[1] > 0:
                numbers.append(message[1])
        self.assertGreater(dropped, 20)
        self.assertEqual(numbers, sorted(numbers))

    def test_silent_viewer_does_not_stop_time(self):
        view = self.view(self.scene(150), "--frames", 100)
        quick, hello = self.join(view)
        alone = self.watch(quick, hello, 0.5)[0]
        quick.close()
        _, before = self.join(view, receive_buffer=4096)
        time.sleep(1.0)
        _, after = self.join(view)
        self.assertGreater(after["status"]["t"] - before["status"]["t"], 0.4 * alone)


if __name__ == "__main__":
    tap.main()
