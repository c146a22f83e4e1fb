/*
 * Principal axes of an inertia, and the box that has the same inertia.
 *
 * The symmetric matrix is made diagonal by plane rotations (Jacobi); each takes the largest entry off the diagonal to
 * zero. A solid box of mass m and lengths a, b, c has Ixx = m (b^2 + c^2) / 12 and so on, hence
 *   a^2 = 6 (Iyy + Izz - Ixx) / m.
 * A difference below zero (no real body) counts as zero.
 */
import type { Quat, Vec3 } from "./pose";

const SWEEPS = 50;

interface PrincipalAxes {
  moments: Vec3;
  q: Quat; // turns the principal axes into the given ones
}

/** inertia: xx yy zz xy xz yz. */
export function principalAxes(inertia: readonly number[]): PrincipalAxes {
  const [xx, yy, zz, xy, xz, yz] = inertia as [number, number, number, number, number, number];
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const scale = Math.abs(xx) + Math.abs(yy) + Math.abs(zz);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const pairs: [number, number][] = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const [i, j] = pairs.reduce((m, p) => (Math.abs(a[p[0]]![p[1]]!) > Math.abs(a[m[0]]![m[1]]!) ? p : m));
    if (Math.abs(a[i]![j]!) <= 1e-14 * scale) break;
    rotate(a, v, i, j);
  }
  return { moments: [a[0]![0]!, a[1]![1]!, a[2]![2]!], q: quatOfColumns(v) };
}

/** One plane rotation: a <- J' a J, v <- v J, with a[i][j] zero afterwards. */
function rotate(a: number[][], v: number[][], i: number, j: number): void {
  const theta = (a[j]![j]! - a[i]![i]!) / (2 * a[i]![j]!);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  const turnColumns = (m: number[][]): void => {
    for (const row of m) {
      const [x, y] = [row[i]!, row[j]!];
      row[i] = c * x - s * y;
      row[j] = s * x + c * y;
    }
  };
  turnColumns(a);
  const [ri, rj] = [a[i]!, a[j]!];
  for (let k = 0; k < 3; k++) {
    const [x, y] = [ri[k]!, rj[k]!];
    ri[k] = c * x - s * y;
    rj[k] = s * x + c * y;
  }
  turnColumns(v);
}

/** Quaternion of a rotation matrix, after Shepperd: the largest of its four squares first. */
export function quatOfColumns(m: number[][]): Quat {
  const [r0, r1, r2] = m as [Vec3, Vec3, Vec3];
  const squares = [1 + r0[0] + r1[1] + r2[2], 1 + r0[0] - r1[1] - r2[2], 1 - r0[0] + r1[1] - r2[2], 1 - r0[0] - r1[1] + r2[2]];
  const largest = squares.indexOf(Math.max(...squares));
  const d = Math.sqrt(squares[largest]!) * 2;
  const [a, b, c] = [r2[1] - r1[2], r0[2] - r2[0], r1[0] - r0[1]];
  const [e, f, g] = [r1[0] + r0[1], r0[2] + r2[0], r2[1] + r1[2]];
  if (largest === 0) return [d / 4, a / d, b / d, c / d];
  if (largest === 1) return [a / d, d / 4, e / d, f / d];
  if (largest === 2) return [b / d, e / d, d / 4, g / d];
  return [c / d, f / d, g / d, d / 4];
}

export function boxOfInertia(mass: number, moments: Vec3): Vec3 {
  const [x, y, z] = moments;
  const length = (s: number): number => Math.sqrt(Math.max(0, (6 * s) / mass));
  return mass > 0 ? [length(y + z - x), length(x + z - y), length(x + y - z)] : [0, 0, 0];
}
