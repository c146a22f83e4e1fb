"""What the tests of `rigor view` share: a view of boxes on the ground, viewers, and what they read off the messages."""
import json
import struct

import tap
from viewer_client import View

BOXES = """<sdf version="1.7"><world name="w"><model name="ground"><static>true</static><link name="floor">
<collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
{}</world></sdf>"""
BOX = """<model name="b{0}"><pose>{1} {2} {3} 0 0 0</pose><link name="box{0}"><inertial><mass>2</mass><inertia><ixx>0.05</ixx>
<iyy>0.05</iyy><izz>0.05</izz></inertia></inertial><collision name="c"><geometry><box><size>0.5 0.5 0.5</size></box>
</geometry></collision></link></model>"""


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

    def step_of(self, viewer, hello):
        """The next /rigor/step."""
        number = next(i for i, topic in topics(hello).items() if topic == "/rigor/step")
        return json.loads(viewer.until(lambda m: isinstance(m, tuple) and m[0] == number)[3])

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
