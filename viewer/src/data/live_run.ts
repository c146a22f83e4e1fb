/*
 * The frames of a live run: messages come in one by one, those of one frame carry the same frame number. The newest
 * frames are kept, within a bound of memory, so that one can look back while the run goes on.
 *
 * A frame earlier than the newest one means that the run was reset: everything before is forgotten.
 */
import { decodeText } from "../format/bytes";
import { Events } from "./events";
import { FRAME_TOPICS, FrameDecoder, SeriesWriter, TOPIC, emptyFrame, scenePoses, type Frame } from "./frame";
import { parseJson, type Json } from "./json_value";
import { readScene, type Scene } from "./scene";
import { Series } from "./series";
import type { Source } from "./source";

const MOST_BYTES = 96e6;

function bytesOf(frame: Frame): number {
  return 8 * frame.poses.length + 100 * (frame.contacts?.count ?? 0) + 28 * (frame.joints?.rows.length ?? 0) + 2000;
}

export class LiveRun implements Source {
  readonly series = new Series();
  readonly events = new Events();
  readonly notes: string[] = [];
  readonly progress = 1;
  readonly name: string;
  private readonly decoder: FrameDecoder;
  private readonly writer: SeriesWriter;
  private frames: Frame[] = [];
  private first = 0; // frames before this one are given up
  private bytes = 0;
  private open: Frame | null = null;
  /** Events earlier than the newest frame: of this run, or of the next one, as the next frame will tell. */
  private readonly early: Json[] = [];
  private openNumber = -1;
  private lastPoses: Float64Array;
  private readonly none: Frame;

  constructor(
    readonly scene: Scene,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.name = scene.name;
    this.decoder = new FrameDecoder(scene);
    this.writer = new SeriesWriter(scene, this.series);
    this.lastPoses = scenePoses(scene);
    this.none = emptyFrame(0, this.lastPoses);
  }

  static fromScene(data: Uint8Array): LiveRun {
    return new LiveRun(readScene(parseJson(decodeText(data), TOPIC.scene)));
  }

  get frameCount(): number {
    return this.frames.length - this.first;
  }

  timeOf(frame: number): number {
    return this.frames[this.first + frame]!.time;
  }

  /** A frame; the newest one for a number that is too large, as after a reset, and the scene itself where there is none. */
  frame(number: number): Frame {
    return this.frames[this.first + Math.min(number, this.frameCount - 1)] ?? this.none;
  }

  work(): boolean {
    return false;
  }

  /** Takes a message; frames appear when they are whole, which is when the next begins or `flush` is called. */
  take(topic: string, frameNumber: number, time: number, data: Uint8Array): void {
    if (topic === TOPIC.events) {
      const event = parseJson(decodeText(data), topic);
      if (this.frameCount > 0 && time < this.timeOf(this.frameCount - 1)) this.early.push(event);
      else this.addEvent(event);
      return;
    }
    if (!FRAME_TOPICS.includes(topic) && topic !== TOPIC.tfStatic) return;
    if (this.open && (frameNumber !== this.openNumber || time !== this.open.time)) this.flush();
    if (!this.open) {
      if (this.frameCount > 0 && time < this.timeOf(this.frameCount - 1)) this.clear();
      for (const event of this.early.splice(0)) this.addEvent(event);
      this.open = this.begin(frameNumber, time);
      this.openNumber = frameNumber;
    }
    this.decoder.put(this.open, topic, data);
  }

  /** An empty frame; or the newest one, if it was ended before all of it had come. */
  private begin(frameNumber: number, time: number): Frame {
    const newest = this.frames[this.frames.length - 1];
    if (newest && this.frameCount > 0 && newest.time === time && frameNumber === this.openNumber) return { ...newest };
    return emptyFrame(time, this.lastPoses.slice());
  }

  private addEvent(event: Json): void {
    this.events.add(event, (i) => this.scene.links[i]?.name ?? `link ${i}`);
  }

  /** Has the last message of the frame come that is being put together? */
  get openIsWhole(): boolean {
    return this.open?.step != null;
  }

  /** Ends the frame that is being put together; true if there was one. */
  flush(): boolean {
    const frame = this.open;
    if (!frame) return false;
    this.open = null;
    this.lastPoses = frame.poses;
    const newest = this.frames[this.frames.length - 1];
    if (newest && newest.time === frame.time && this.frameCount > 0) {
      this.frames[this.frames.length - 1] = frame; // sent again, for example after a new connection
      return true;
    }
    this.frames.push(frame);
    this.bytes += bytesOf(frame);
    this.writer.add(frame);
    this.giveUp();
    return true;
  }

  clear(): void {
    this.frames = [];
    this.first = 0;
    this.bytes = 0;
    this.open = null;
    this.writer.clear();
    this.events.clear();
  }

  private giveUp(): void {
    while (this.bytes > this.mostBytes && this.frameCount > 2) {
      this.bytes -= bytesOf(this.frames[this.first]!);
      this.first++;
    }
    if (this.first > 1024 && 2 * this.first > this.frames.length) {
      this.frames = this.frames.slice(this.first);
      this.first = 0;
    }
  }
}
