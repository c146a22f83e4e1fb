#!/usr/bin/python3
"""`rigor view`: what it serves and to whom, how it starts and ends, recordings."""
import http.client
import json
import socket

import tap
from view_test import ViewTest
from viewer_client import Closed, Refused, View

MAGIC = b"\x89MCAP0\r\n"


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

        # Two requests by one connection: a body that should not be there would be taken for the second answer.
        for path, code in (("/config.json", 200), ("/nothing", 404), ("/ws", 400)):
            with socket.create_connection(("127.0.0.1", view.port), timeout=tap.PATIENCE) as connection:
                ask = f"{{}} {path} HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n{{}}\r\n"
                connection.sendall(ask.format("HEAD", "").encode())
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(4096)
                self.assertEqual(int(head.split()[1]), code, path)
                self.assertTrue(head.endswith(b"\r\n\r\n"), head)
                connection.settimeout(0.2)
                with self.assertRaises(TimeoutError):
                    if not connection.recv(1):
                        raise TimeoutError("closed")

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
        self.assertEqual(view.end(), (0, ""))
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
            self.refused("view", self.scene(), "--listen", address, code=1, says="expected a numeric address")
        view = self.view(self.scene(), "--listen", "0.0.0.0")
        self.assertIn("every other address", view.line)
        self.assertEqual(view.get("/config.json", host=f"192.0.2.7:{view.port}")[0], 200)
        self.assertEqual(view.get("/config.json", host=f"{socket.gethostname()}:{view.port}")[0], 200)
        self.assertEqual(view.get("/config.json", host=f"evil.example:{view.port}")[0], 403)

    def test_wrong_usage(self):
        self.refused("view", says="no file given")
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
        view = self.view(path)
        self.assertEqual(view.get("/recording/0")[2], whole[:-100])
        code, errors = view.end()
        self.assertEqual(code, 0)
        self.assertIn("truncated", errors)
        path.write_bytes(whole[:-100] + bytes(4096))
        self.assertEqual(self.view(path).get("/recording/0")[0], 200)
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


if __name__ == "__main__":
    tap.main()
