/*
 * Poses as 7 numbers: x y z, then the quaternion w x y z. A pose turns and moves a point: p' = x + R(q) p.
 */

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface Pose {
  p: Vec3;
  q: Quat;
}

export const IDENTITY: Pose = { p: [0, 0, 0], q: [1, 0, 0, 0] };

/** R(q) v = v + 2 w (u x v) + 2 u x (u x v), with q = (w, u) of length one. */
export function turn(q: Quat, v: Vec3): Vec3 {
  const [w, x, y, z] = q;
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export function turnBack(q: Quat, v: Vec3): Vec3 {
  return turn([q[0], -q[1], -q[2], -q[3]], v);
}

export function multiply(a: Quat, b: Quat): Quat {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

export function compose(a: Pose, b: Pose): Pose {
  const moved = turn(a.q, b.p);
  return { p: [a.p[0] + moved[0], a.p[1] + moved[1], a.p[2] + moved[2]], q: multiply(a.q, b.q) };
}

/** Point of the link's axes in the world. */
export function toWorld(pose: Pose, point: Vec3): Vec3 {
  const t = turn(pose.q, point);
  return [t[0] + pose.p[0], t[1] + pose.p[1], t[2] + pose.p[2]];
}

export function toLocal(pose: Pose, point: Vec3): Vec3 {
  return turnBack(pose.q, [point[0] - pose.p[0], point[1] - pose.p[1], point[2] - pose.p[2]]);
}

export function poseAt(poses: Float64Array, link: number): Pose {
  const i = 7 * link;
  return {
    p: [poses[i]!, poses[i + 1]!, poses[i + 2]!],
    q: [poses[i + 3]!, poses[i + 4]!, poses[i + 5]!, poses[i + 6]!],
  };
}

export function putPose(poses: Float64Array, link: number, pose: Pose): void {
  poses.set(pose.p, 7 * link);
  poses.set(pose.q, 7 * link + 3);
}

/** The rotation vector of q: axis times angle, angle in [0, pi]. */
export function rotationVector(q: Quat): Vec3 {
  const sign = q[0] < 0 ? -1 : 1;
  const s = Math.hypot(q[1], q[2], q[3]);
  if (s < 1e-12) return [2 * sign * q[1], 2 * sign * q[2], 2 * sign * q[3]];
  const f = (2 * Math.atan2(s, sign * q[0]) * sign) / s;
  return [f * q[1], f * q[2], f * q[3]];
}

/** Velocity of the origin and angular velocity in world axes, from two poses `dt` seconds apart. */
export function velocityBetween(a: Pose, b: Pose, dt: number): { linear: Vec3; angular: Vec3 } {
  if (!(dt > 0)) return { linear: [0, 0, 0], angular: [0, 0, 0] };
  const spin = rotationVector(multiply(b.q, [a.q[0], -a.q[1], -a.q[2], -a.q[3]]));
  return {
    linear: [(b.p[0] - a.p[0]) / dt, (b.p[1] - a.p[1]) / dt, (b.p[2] - a.p[2]) / dt],
    angular: [spin[0] / dt, spin[1] / dt, spin[2] / dt],
  };
}
