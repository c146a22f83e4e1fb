/*
 * The command itself, from the build folder: rigor view as a process, and short runs of other commands.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const RIGOR = process.env.RIGOR ?? `${ROOT}build/rigor`;

export async function runRigor(...args: string[]): Promise<string> {
  return (await promisify(execFile)(RIGOR, args, { cwd: ROOT })).stdout;
}

export interface View {
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** Starts rigor view and waits for its address. */
export async function startView(...args: string[]): Promise<View> {
  const child: ChildProcess = spawn(RIGOR, ["view", ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise<string>((found, failed) => {
    let text = "";
    const read = (data: Buffer): void => {
      text += data.toString();
      const address = /http:\/\/[0-9.]+:\d+\//.exec(text)?.[0];
      if (address) found(address);
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    child.on("exit", (code) => failed(new Error(`rigor view ended with ${code}: ${text}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    stop: () =>
      new Promise((done) => {
        child.on("exit", () => done());
        child.kill("SIGINT");
      }),
  };
}
