"""A small WebSocket client (RFC 6455) and a `rigor view` to talk to, for the tests and the benchmark of the view."""
import base64
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class Refused(Exception):
    """The server did not take the upgrade: code and text of its answer."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


PATIENCE = 600  # seconds that only a server that hangs takes


class Closed(Exception):
    """The server closed the connection: code and reason."""

    def __init__(self, code, reason):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


class Viewer:
    """One connection to a live view."""

    def __init__(self, port, path="/ws", protocol="rigor.view.1", timeout=PATIENCE, receive_buffer=None, **fields):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.stream = self.socket.makefile("rb", 1 << 18 if not receive_buffer else receive_buffer)
        key = base64.b64encode(os.urandom(16)).decode()
        head = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
                "Sec-WebSocket-Version": "13"}
        if protocol:
            head["Sec-WebSocket-Protocol"] = protocol
        head.update({name.replace("_", "-"): value for name, value in fields.items()})
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        self._answer(key)

    def _answer(self, key):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.stream.readline()
            if not line:
                raise Refused(0, "closed without an answer")
            head += line
        code = int(head.split()[1])
        if code != 101:
            length = re.search(rb"content-length: (\d+)", head, re.I)
            raise Refused(code, self.stream.read(int(length[1])).decode() if length else "")
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if accept.lower() not in head.decode().lower():
            raise Refused(code, "wrong Sec-WebSocket-Accept")

    def _take(self, count):
        data = self.stream.read(count)
        if len(data) < count:
            raise Closed(1006, "")
        return data

    def _part(self):
        first, second = self._take(2)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack(">H", self._take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._take(8))
        return first & 15, bool(first & 128), self._take(length)

    def receive(self):
        """The next message: a dict for a text, (channel, frame, time in ns, payload) for a binary one."""
        kind, parts = None, []
        while True:
            code, last, data = self._part()
            if code == CLOSE:
                raise Closed(struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 1005, data[2:].decode())
            if code == PING:
                continue
            kind = code or kind
            parts.append(data)
            if last:
                break
        data = b"".join(parts)
        if kind == TEXT:
            return json.loads(data)
        one, zero, channel, frame, ns = struct.unpack_from("<BBHIQ", data)
        assert (one, zero) == (1, 0)
        return channel, frame, ns, data[16:]

    def send_bytes(self, data, code=TEXT, last=True):
        mask = os.urandom(4)
        head = bytes([code | (128 if last else 0)])
        if len(data) < 126:
            head += bytes([128 | len(data)])
        elif len(data) < 65536:
            head += bytes([128 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([128 | 127]) + struct.pack(">Q", len(data))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, op, **fields):
        self.send_bytes(json.dumps({"op": op, **fields}).encode())

    def until(self, wanted, seconds=PATIENCE):
        """Receives until wanted(message) is true; that message."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.receive()
            if wanted(message):
                return message
        raise TimeoutError("the message did not come")

    def text(self, op, seconds=PATIENCE, **fields):
        """The next text of this op with these fields."""
        return self.until(lambda m: isinstance(m, dict) and m["op"] == op
                          and all(m.get(k) == v for k, v in fields.items()), seconds)

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class View:
    """A `rigor view` that serves at a free port."""

    def __init__(self, command, *arguments):
        self.process = subprocess.Popen([command, "view", *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()
        found = re.search(r"http://([^/]*):(\d+)/", self.line)
        if not found:
            raise RuntimeError(f"no address: {self.line}{self.process.communicate(timeout=PATIENCE)[1]}")
        self.port = int(found[2])

    def get(self, path, method="GET", host=None, **fields):
        """Status, fields and body of a request; the path goes out as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host if host is not None else f"127.0.0.1:{self.port}")
        for name, value in fields.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    def viewer(self, **fields):
        return Viewer(self.port, **fields)

    def end(self):
        """Ctrl-C; the exit code and what was printed on stderr."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
