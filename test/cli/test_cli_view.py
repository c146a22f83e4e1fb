#!/usr/bin/python3
"""`rigor view`: what it serves and to whom, the commands of a live view, slow and rude clients."""
import http.client
import json
import socket
import struct
import time

import tap
from viewer_client import BINARY, Closed, Refused, View

BOXES = """<sdf version="1.7"><world name="w"><model name="ground"><static>true</static><link name="floor">
<collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
{}</world></sdf>"""
BOX = """<model name="b{0}"><pose>{1} {2} {3} 0 0 0</pose><link name="box{0}"><inertial><mass>2</mass><inertia><ixx>0.05</ixx>
<iyy>0.05</iyy><izz>0.05</izz></inertia></inertial><collision name="c"><geometry><box><size>0.5 0.5 0.5</size></box>
</geometry></collision></link></model>"""
ROBOT = tap.MODELS / "standing.yaml"
MAGIC = b"\x89MCAP0\r\n"


def boxes(count, height=0.25):
    return BOXES.format("".join(BOX.format(i, i % 40, i // 40, height) for i in range(count)))


def topics(hello):
    return {channel["id"]: channel["topic"] for channel in hello["channels"]}


class ViewTest(tap.CommandTest):
    """A test that serves something."""

    def setUp(self):
        super().setUp()
        if "built without" in self.rigor("view", self.folder / "nothing.urdf", code=None).stderr:
            self.skipTest("built without the viewer")

    def view(self, *arguments):
        view = View(tap.COMMAND, *arguments, "--port", 0)
        self.addCleanup(view.__exit__)
        return view

    def scene(self, count=1, height=0.25):
        return self.write("boxes.sdf", boxes(count, height))

    def live(self, *arguments):
        """A view of one box on the ground, and a viewer that has read the hello."""
        view = self.view(self.scene(), *arguments)
        return view, *self.join(view)

    def join(self, view, **fields):
        viewer = view.viewer(**fields)
        self.addCleanup(viewer.close)
        hello = viewer.receive()
        self.assertEqual(hello["op"], "hello")
        return viewer, hello

    def step_of(self, viewer, hello, seconds=10.0):
        """The next /rigor/step."""
        number = next(i for i, topic in topics(hello).items() if topic == "/rigor/step")
        return json.loads(viewer.until(lambda m: isinstance(m, tuple) and m[0] == number, seconds)[3])

    def place_of(self, viewer, hello, name, when=lambda ns: True):
        """Where a link is, by the next /tf of a time (ns)."""
        number = next(i for i, topic in topics(hello).items() if topic == "/tf")
        message = viewer.until(lambda m: isinstance(m, tuple) and m[0] == number and when(m[2]))
        for child, place in read_tf(message[3]):
            if child == name:
                return place
        self.fail(f"no {name} in /tf")


def read_tf(data):
    """Names and positions of a tf2_msgs/TFMessage."""
    at, found = 4, []

    def take(form):
        nonlocal at
        size = struct.calcsize("<" + form)
        at = 4 + -(-(at - 4) // size) * size
        (value,) = struct.unpack_from("<" + form, data, at)
        at += size
        return value

    def text():
        nonlocal at
        length = take("I")
        at += length
        return data[at - length:at - 1].decode()

    for _ in range(take("I")):
        take("i"), take("I"), text()
        child = text()
        numbers = [take("d") for _ in range(7)]
        found.append((child, numbers[:3]))
    return found


class Served(ViewTest):
    def test_page_and_config(self):
        view = self.view(self.scene())
        self.assertRegex(view.line, r"^live view: http://127\.0\.0\.1:\d+/ \(Ctrl-C ends it\)\n$")
        status, fields, page = view.get("/")
        self.assertEqual((status, fields["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"<html", page)
        self.assertEqual(view.get("/?x=1")[2], page)
        status, _, config = view.get("/config.json")
        version = self.rigor("--version").stdout.split()[1]
        self.assertEqual((status, json.loads(config)), (200, {"mode": "live", "version": version, "recordings": []}))

    def test_head_has_no_body(self):
        view = self.view(self.scene())
        status, fields, body = view.get("/", method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertEqual(int(fields["content-length"]), len(view.get("/")[2]))

    def test_only_own_paths(self):
        view = self.view(self.scene())
        for path in ("/index.html", "/recording/0", "/recording/2", "/recording/", "/recording/00", "/config.json/",
                     "/../../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                     "/recording/../../../etc/passwd", "/recording/0/../../etc/passwd", "/\\..\\x", "/x%00", "/a" * 100):
            try:
                status, _, body = view.get(path)
            except http.client.RemoteDisconnected:
                continue  # hung up on: no answer at all
            self.assertIn(status, (400, 403, 404), path)
            self.assertNotIn(b"root:", body)
        self.assertEqual(view.get("/ws")[0], 400)

    def test_only_get(self):
        view = self.view(self.scene())
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            self.assertIn(view.get("/config.json", method=method)[0], (403, 404, 405), method)

    def test_host(self):
        view = self.view(self.scene())
        for host in (f"localhost:{view.port}", f"127.0.0.1:{view.port}", f"LocalHost:{view.port}", f"[::1]:{view.port}"):
            self.assertEqual(view.get("/config.json", host=host)[0], 200, host)
        for host in ("evil.example", f"evil.example:{view.port}", "localhost", "localhost:1", "localhost.evil.example",
                     f"127.0.0.1.evil.example:{view.port}", f"192.0.2.1:{view.port}", "", "[", f"[]:{view.port}", "x" * 2000):
            self.assertEqual(view.get("/config.json", host=host)[0], 403, host)

    def test_origin(self):
        view = self.view(self.scene())
        own = f"http://127.0.0.1:{view.port}"
        self.assertEqual(view.get("/config.json", Origin=own)[0], 200)
        view.viewer(Origin=own).close()
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{view.port}", own + ".evil.example",
                       "http://127.0.0.1", f"http://localhost:{view.port}"):
            self.assertEqual(view.get("/config.json", Origin=origin)[0], 403, origin)
            with self.assertRaises(Refused) as refusal:
                view.viewer(Origin=origin)
            self.assertEqual(refusal.exception.code, 403)

    def test_socket_path_and_protocol(self):
        view = self.view(self.scene())
        view.viewer(protocol="other, rigor.view.1").close()
        for fields, code in (({"path": "/"}, 404), ({"path": "/x"}, 404), ({"protocol": None}, 400),
                             ({"protocol": "rigor.view.2"}, 400), ({"Host": "evil.example"}, 403)):
            with self.assertRaises(Refused) as refusal:
                view.viewer(**fields)
            self.assertEqual(refusal.exception.code, code, fields)

    def test_many_connections_that_say_nothing(self):
        view = self.view(self.scene())
        idle = [socket.create_connection(("127.0.0.1", view.port)) for _ in range(100)]
        self.assertEqual(view.get("/config.json")[0], 200)
        for connection in idle:
            connection.close()
        self.assertEqual(view.get("/config.json")[0], 200)


class Started(ViewTest):
    def test_control_c_ends_well(self):
        view, viewer, _ = self.live()
        begin = time.monotonic()
        self.assertEqual(view.end(), (0, ""))
        self.assertLess(time.monotonic() - begin, 3.0)
        with self.assertRaises((Closed, ConnectionError)):
            while True:
                viewer.receive()

    def test_control_c_during_slow_steps(self):
        view = self.view(self.scene(400, 0.3), "--speed", 0)
        self.join(view)
        self.assertEqual(view.end()[0], 0)

    def test_port_in_use(self):
        view = self.view(self.scene())
        self.refused("view", self.scene(), "--port", view.port, code=1,
                     says=[f"127.0.0.1:{view.port}", "the port is in use", "--port 0"])

    def test_usual_port_in_use_takes_another(self):
        first = View(tap.COMMAND, self.scene())
        self.addCleanup(first.__exit__)
        second = View(tap.COMMAND, self.scene())
        self.addCleanup(second.__exit__)
        self.assertNotEqual(first.port, second.port)
        self.assertEqual(second.get("/config.json")[0], 200)

    def test_addresses(self):
        self.refused("view", self.scene(), "--listen", "192.0.2.1", "--port", 0, code=1, says="no network of this machine")
        for address in ("localhost", "nowhere.example", "1.2.3", "eth0", "127.0.0.1:80"):
            self.refused("view", self.scene(), "--listen", address, code=1, says="expected an address in numbers")
        view = self.view(self.scene(), "--listen", "0.0.0.0")
        self.assertIn("every other address", view.line)
        self.assertEqual(view.get("/config.json", host=f"192.0.2.7:{view.port}")[0], 200)
        self.assertEqual(view.get("/config.json", host=f"{socket.gethostname()}:{view.port}")[0], 200)
        self.assertEqual(view.get("/config.json", host=f"evil.example:{view.port}")[0], 403)

    def test_wrong_usage(self):
        self.refused("view", says="which file?")
        self.refused("view", self.scene(), "--port", 70000, says="is not between")
        self.refused("view", self.scene(), "--port", 80.5, says="whole number")
        self.refused("view", self.scene(), "--frames", 0, says="is not between")
        self.refused("view", self.scene(), "--speed", -1, says="is not between")
        self.refused("view", self.scene(), "--stepper", "rk5", says="unknown 'rk5'")
        self.refused("view", self.scene(), self.scene(), says="both are recordings")
        self.refused("view", self.scene(), self.scene(), self.scene(), says="at most 2 files")
        self.refused("view", self.folder / "nothing.urdf", says="No such file")
        self.refused("view", self.write("bad.urdf", "<robot"), says="bad.urdf")

    def test_help(self):
        text = self.rigor("view", "--help").stdout
        for expected in ("rigor view FILE [FILE2]", "--port N", "--listen ADDR", "semi-implicit", "recording"):
            self.assertIn(expected, text)


class Replayed(ViewTest):
    def recording(self, name, *arguments):
        path = self.folder / name
        self.rigor("run", self.scene(), "--time", 0.2, "--record", path, *arguments)
        return path

    def test_one(self):
        path = self.recording("one 'ü'.mcap")
        view = self.view(path)
        self.assertRegex(view.line, r"^replay: http://")
        status, fields, body = view.get("/recording/0")
        self.assertEqual((status, body), (200, path.read_bytes()))
        self.assertEqual(fields["content-type"], "application/octet-stream")
        self.assertEqual(json.loads(view.get("/config.json")[2])["recordings"], [path.name])
        self.assertEqual(json.loads(view.get("/config.json")[2])["mode"], "replay")
        self.assertEqual(view.get("/recording/1")[0], 404)
        with self.assertRaises(Refused) as refusal:
            view.viewer()
        self.assertEqual(refusal.exception.code, 404)
        self.assertEqual(view.end(), (0, ""))

    def test_two(self):
        paths = [self.recording("a.mcap"), self.recording("b.mcap", "--solver", "pgs")]
        view = self.view(*paths)
        self.assertRegex(view.line, r"^comparison: http://")
        for i, path in enumerate(paths):
            self.assertEqual(view.get(f"/recording/{i}")[2], path.read_bytes())
        self.assertEqual(view.get("/recording/2")[0], 404)

    def test_known_by_its_bytes(self):
        path = self.recording("a.mcap")
        other = path.rename(self.folder / "recording without ending")
        self.assertRegex(self.view(other).line, "^replay")

    def test_cut_off(self):
        """What a killed run leaves can be seen; not even that where the scene is missing."""
        path = self.recording("a.mcap")
        whole = path.read_bytes()
        path.write_bytes(whole[:-100])
        self.assertEqual(self.view(path).get("/recording/0")[2], whole[:-100])
        path.write_bytes(whole[:100])
        self.refused("view", path, says="a.mcap")

    def test_removed_while_it_is_served(self):
        path = self.recording("a.mcap")
        view = self.view(path)
        path.unlink()
        self.assertEqual(view.get("/recording/0")[0], 404)

    def test_large(self):
        """In pieces, and to two at once."""
        path = self.recording("a.mcap")
        whole = path.read_bytes() + bytes(30_000_000)
        path.write_bytes(whole)
        view = self.view(path)
        self.assertEqual(view.get("/recording/0")[2], whole)
        self.assertEqual(view.get("/recording/0")[2], whole)

    def test_not_recordings(self):
        def write(name, body):
            path = self.folder / name
            path.write_bytes(body)
            return path

        self.refused("view", self.folder / "nothing.mcap", says=["nothing.mcap", "No such file"])
        self.refused("view", write("empty.mcap", b""), says=["empty.mcap"])
        self.refused("view", write("foreign.mcap", b"PK\3\4" + bytes(100)), says="foreign.mcap")
        self.refused("view", write("short.mcap", MAGIC[:5]), says="short.mcap")
        self.refused("view", write("bare.mcap", MAGIC), says="bare.mcap")
        (self.folder / "folder.mcap").mkdir()
        self.refused("view", self.folder / "folder.mcap", says="folder.mcap")
        self.refused("view", self.recording("a.mcap"), self.scene(), says="both are recordings")


class Live(ViewTest):
    def test_first_words(self):
        _, viewer, hello = self.live()
        self.assertEqual(hello["mode"], "live")
        self.assertEqual(hello["version"], self.rigor("--version").stdout.split()[1])
        for name in ("/robot_description", "/rigor/scene", "/tf", "/rigor/contacts", "/rigor/step", "/rigor/events"):
            self.assertIn(name, topics(hello).values())
        for channel in hello["channels"]:
            self.assertTrue(channel["schema"])

        # What comes once comes first, then a frame of the present state.
        once = [viewer.receive() for _ in range(2)]
        self.assertEqual({topics(hello)[m[0]] for m in once}, {"/robot_description", "/rigor/scene"})
        scene = json.loads(next(m[3] for m in once if topics(hello)[m[0]] == "/rigor/scene"))
        self.assertEqual([link["name"] for link in scene["links"]], ["floor", "box0"])
        self.assertEqual(self.step_of(viewer, hello)["t"], 0.0)

    def test_time_goes_with_the_clock(self):
        _, viewer, hello = self.live()
        self.step_of(viewer, hello)
        begin, t0 = time.monotonic(), self.step_of(viewer, hello)["t"]
        while time.monotonic() < begin + 1.0:
            t = self.step_of(viewer, hello)["t"]
        elapsed = time.monotonic() - begin
        self.assertLess(t - t0, elapsed + 0.15)
        self.assertGreater(t - t0, 0.3 * elapsed)

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
        t = viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 3.0, 20.0)["t"]
        self.assertGreater(t, time.monotonic() - begin)
        viewer.send("pause")
        viewer.text("status", running=False)
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
        viewer.send("pause")
        viewer.until(lambda m: isinstance(m, dict) and (m["op"] == "error" or m.get("running") is False))
        self.assertEqual(view.get("/config.json")[0], 200)


class Dragged(ViewTest):
    def drag(self, *arguments, target=(1.0, 0.5, 2.0), link=1, name="box0", point=(0.0, 0.0, 0.0), scene=None, seconds=3.0):
        """Where a link is after it was pulled for some simulated seconds, as fast as it goes."""
        view = self.view(scene or self.scene(), "--speed", 0, "--paused", *arguments)
        viewer, hello = self.join(view)
        viewer.send("drag", link=link, point=point, target=target)
        viewer.send("play")
        viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > seconds, 60.0)
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
        viewer.until(lambda m: isinstance(m, dict) and m.get("t", 0) > 4.0, 60.0)
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
        self.assertAlmostEqual(self.place_of(viewer, hello, "box0")[2], place[2] - 0.5 * 9.81 * 0.1 ** 2, delta=2e-3)

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
        alone = self.watch(quick, hello, 1.0)
        slow, _ = self.join(view, receive_buffer=4096)
        beside = self.watch(quick, hello, 2.0)
        self.assertGreater(beside[0], 0.4 * alone[0])
        self.assertGreater(beside[1], 0.4 * alone[1])

        # It wakes up: the frames in between are gone, and counted.
        numbers, dropped = [], 0
        end = time.monotonic() + 20
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
        alone = self.watch(quick, hello, 1.0)[0]
        quick.close()
        _, before = self.join(view, receive_buffer=4096)
        time.sleep(2.0)
        _, after = self.join(view)
        self.assertGreater(after["status"]["t"] - before["status"]["t"], 2.0 * 0.4 * alone)


if __name__ == "__main__":
    tap.main()
