/*
 * The connection to a live run: WebSocket, sub-protocol rigor.view.1.
 *
 *   from the server: text {"op": "hello" | "status" | "error", ...}
 *                    binary  u8 1 | u8 0 | u16 channel | u32 frame | u64 time in ns | message   (little endian)
 *   to the server:   text {"op": "play" | "pause" | "step" | "reset" | "speed" | "set" | "drag" | "release", ...}
 *
 * A lost connection is tried again after 0.5, 1, 2, 4 and then every 8 seconds.
 */
import { ByteCursor } from "../format/bytes";
import { asList, asMap, isMap, numberOr, parseJson, textOr, type Json, type JsonMap } from "./json_value";

export const PROTOCOL = "rigor.view.1";
const HEAD = 16;
const WAITS = [500, 1000, 2000, 4000, 8000];

export type LinkState = "connecting" | "open" | "lost";

export interface LiveStatus {
  time: number;
  running: boolean;
  speed: number;
  stepper: string;
  solver: string;
  dt: number;
  realTimeFactor: number;
  dropped: number; // frames that this page was not given
  droppedEvents: number; // and events
  error: string;
}

export interface LinkListener {
  state(state: LinkState, retryIn: number): void;
  hello(version: string): void;
  status(status: LiveStatus): void;
  refused(text: string): void;
  message(topic: string, frame: number, time: number, data: Uint8Array): void;
}

export type LiveCommand =
  | { op: "play" | "pause" | "reset" | "release" }
  | { op: "step"; n: number }
  | { op: "speed"; value: number }
  | { op: "set"; stepper?: string; solver?: string; dt?: number }
  | { op: "drag"; link: number; point: number[]; target: number[] };

function readStatus(map: JsonMap): LiveStatus {
  return {
    time: numberOr(map.t, 0),
    running: map.running === true,
    speed: numberOr(map.speed, 1),
    stepper: textOr(map.stepper, ""),
    solver: textOr(map.solver, ""),
    dt: numberOr(map.dt, NaN),
    realTimeFactor: numberOr(map.real_time_factor, NaN),
    dropped: numberOr(map.dropped, 0),
    droppedEvents: numberOr(map.dropped_events, 0),
    error: textOr(map.error, ""),
  };
}

export class LiveLink {
  state: LinkState = "connecting";
  private socket: WebSocket | null = null;
  private topics = new Map<number, string>();
  private attempts = 0;
  private timer = 0;
  private ended = false;

  constructor(
    private readonly url: string,
    private readonly listener: LinkListener,
  ) {
    this.connect();
  }

  send(command: LiveCommand): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(command));
    return true;
  }

  /** Tries at once instead of waiting. */
  retry(): void {
    if (this.state === "lost") this.connect();
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    clearTimeout(this.timer);
    this.change("connecting", 0);
    const socket = new WebSocket(this.url, PROTOCOL);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = () => {
      if (socket === this.socket && !this.ended) this.lost();
    };
  }

  private lost(): void {
    const wait = WAITS[Math.min(this.attempts, WAITS.length - 1)]!;
    this.attempts++;
    this.timer = window.setTimeout(() => this.connect(), wait);
    this.change("lost", wait);
  }

  private change(state: LinkState, retryIn: number): void {
    this.state = state;
    this.listener.state(state, retryIn);
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data === "string") this.receiveText(data);
      else this.receiveBinary(new Uint8Array(data));
    } catch (error) {
      this.listener.refused(
        `the server sent what this page cannot read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  private receiveText(text: string): void {
    const map = asMap(parseJson(text, "message"), "message");
    const op = textOr(map.op, "");
    if (op === "hello") this.hello(map);
    else if (op === "status") this.listener.status(readStatus(map));
    else if (op === "error") this.listener.refused(textOr(map.text, "unknown"));
  }

  private hello(map: JsonMap): void {
    this.topics = new Map(asList(map.channels ?? [], "hello.channels").map(channelPair));
    this.attempts = 0;
    this.listener.hello(textOr(map.version, ""));
    this.change("open", 0);
    if (isMap(map.status)) this.listener.status(readStatus(map.status));
  }

  private receiveBinary(bytes: Uint8Array): void {
    const cursor = new ByteCursor(bytes);
    if (cursor.u8() !== 1) return; // a kind of message that is not known
    cursor.u8();
    const topic = this.topics.get(cursor.u16());
    const frame = cursor.u32();
    const time = cursor.seconds();
    if (topic !== undefined) this.listener.message(topic, frame, time, bytes.subarray(HEAD));
  }
}

function channelPair(json: Json): [number, string] {
  const map = asMap(json, "hello.channels[]");
  return [numberOr(map.id, -1), textOr(map.topic, "")];
}
