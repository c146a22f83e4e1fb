/*
 * Messages of Rigor's channels, written by an independent library from the definitions that ROS gives them.
 */
import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";

const LINE = "=".repeat(80);
const HEADER = `${LINE}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n`;
const TIME = `${LINE}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n`;

export const DEFINITIONS: Record<string, string> = {
  "tf2_msgs/msg/TFMessage": `geometry_msgs/TransformStamped[] transforms
${LINE}
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
${LINE}
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
${LINE}
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
${LINE}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
${HEADER}${TIME}`,
  "sensor_msgs/msg/JointState": `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
${HEADER}${TIME}`,
  "rigor_msgs/msg/Contacts": `builtin_interfaces/Time stamp
uint32[] link_a
uint32[] link_b
float64[] point
float64[] normal
float64[] force
float64[] gap
float64[] slip
float64[] mu
uint8[] state
${TIME}`,
  "std_msgs/msg/String": "string data\n",
};

const writers = new Map<string, MessageWriter>();

export function writeRos(type: string, message: unknown): Uint8Array {
  let writer = writers.get(type);
  if (!writer) {
    writer = new MessageWriter(parse(DEFINITIONS[type]!, { ros2: true }));
    writers.set(type, writer);
  }
  return writer.writeMessage(message);
}

export function stamp(time: number): { sec: number; nanosec: number } {
  const sec = Math.floor(time);
  return { sec, nanosec: Math.round((time - sec) * 1e9) };
}
