/*
 * A recording as a source of frames. Opening it reads indexes and the scene only; frames are decoded when they are shown,
 * series and events bit by bit in the background.
 *
 * Failure: FormatError for a file that is no recording of Rigor. Damaged chunks are noted, and their frames show
 * the poses of the frame before.
 */
import { FormatError, decodeText } from "../format/bytes";
import { McapFile } from "../format/mcap_file";
import type { MessageIndex } from "../format/mcap_records";
import { Events } from "./events";
import { FRAME_TOPICS, FrameDecoder, SeriesWriter, TOPIC, emptyFrame, scenePoses, type Frame } from "./frame";
import { parseJson } from "./json_value";
import { readScene, type Scene } from "./scene";
import { Series } from "./series";
import { firstAtOrAfter } from "./sorted";
import type { Source } from "./source";

const SERIES_TOPICS: readonly string[] = [TOPIC.joints, TOPIC.targets, TOPIC.step];
const KEPT_FRAMES = 4;
const MOST_NOTES = 8;

export class Recording implements Source {
  readonly scene: Scene;
  readonly series = new Series();
  readonly events = new Events();
  readonly notes: string[];
  private readonly file: McapFile;
  private readonly channels = new Map<string, number>();
  private readonly decoder: FrameDecoder;
  private readonly writer: SeriesWriter;
  private readonly basePoses: Float64Array;
  private readonly kept = new Map<number, Frame>();
  private times = new Float64Array(0);
  private chunkOf = new Uint32Array(0);
  private framesDone = 0;
  private chunksDone = 0;

  constructor(
    readonly name: string,
    bytes: Uint8Array,
  ) {
    this.file = new McapFile(bytes);
    this.notes = [...this.file.notes];
    for (const channel of this.file.channels.values()) this.channels.set(channel.topic, channel.id);
    this.scene = this.readScene();
    this.findFrames();
    this.decoder = new FrameDecoder(this.scene);
    this.writer = new SeriesWriter(this.scene, this.series);
    this.basePoses = this.firstPoses();
  }

  get frameCount(): number {
    return this.times.length;
  }

  get progress(): number {
    return this.chunksDone / Math.max(1, this.file.chunks.length);
  }

  timeOf(frame: number): number {
    return this.times[frame]!;
  }

  frame(number: number): Frame {
    const kept = this.kept.get(number);
    if (kept) return kept;
    const frame = emptyFrame(this.times[number]!, this.basePoses.slice());
    if (!this.fill(frame, number, FRAME_TOPICS)) {
      const before = [...this.kept.values()].pop();
      if (before) frame.poses.set(before.poses);
    }
    if (this.kept.size >= KEPT_FRAMES) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(number, frame);
    return frame;
  }

  work(milliseconds: number): boolean {
    const end = performance.now() + milliseconds;
    while (this.chunksDone < this.file.chunks.length) {
      this.readSeries(this.chunksDone);
      this.readEvents(this.chunksDone);
      this.chunksDone++;
      if (performance.now() >= end) break;
    }
    return this.chunksDone < this.file.chunks.length;
  }

  private note(text: string): void {
    if (this.notes.length < MOST_NOTES && !this.notes.includes(text)) this.notes.push(text);
  }

  private readScene(): Scene {
    const channel = this.channels.get(TOPIC.scene);
    if (channel === undefined) {
      const topics = [...this.channels.keys()].slice(0, 8).join(", ");
      const has = topics ? `Its channels: ${topics}.` : "No channel of it can be read.";
      const cut = this.notes.length > 0 ? ` ${this.notes.join(" ")}` : "";
      throw new FormatError(`this MCAP file is no recording of Rigor: it has no channel ${TOPIC.scene}. ${has}${cut}`);
    }
    for (let chunk = 0; chunk < this.file.chunks.length; chunk++) {
      const index = this.file.index(chunk, channel);
      if (!index || index.offsets.length === 0) continue;
      const text = decodeText(this.file.message(chunk, index.offsets[0]!).data);
      return readScene(parseJson(text, TOPIC.scene));
    }
    throw new FormatError(`the channel ${TOPIC.scene} has no message: the recording ends before its first chunk was whole`);
  }

  /** Times of all frames, and the chunks they are in. */
  private findFrames(): void {
    const channel = this.channels.get(TOPIC.tf);
    const found: { times: Float64Array; chunk: number }[] = [];
    let count = 0;
    for (let chunk = 0; channel !== undefined && chunk < this.file.chunks.length; chunk++) {
      const times = this.indexOf(chunk, channel)?.times;
      if (!times) continue;
      found.push({ times, chunk });
      count += times.length;
    }
    if (count === 0) throw new FormatError(`the recording has no frame: no message of ${TOPIC.tf} is whole`);
    this.times = new Float64Array(count);
    this.chunkOf = new Uint32Array(count);
    let at = 0;
    for (const { times, chunk } of found) {
      this.times.set(times, at);
      this.chunkOf.fill(chunk, at, at + times.length);
      at += times.length;
    }
  }

  private indexOf(chunk: number, channel: number): MessageIndex | undefined {
    try {
      return this.file.index(chunk, channel);
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** Poses of the first frame: later frames only name the links that move. */
  private firstPoses(): Float64Array {
    const frame = emptyFrame(this.times[0]!, scenePoses(this.scene));
    const still = this.channels.get(TOPIC.tfStatic);
    for (let chunk = 0; still !== undefined && chunk < this.file.chunks.length; chunk++) {
      if (this.putMessage(frame, TOPIC.tfStatic, chunk, this.indexOf(chunk, still)?.times[0])) break;
    }
    this.fill(frame, 0, [TOPIC.tf]);
    return frame.poses;
  }

  /** Puts the messages of a frame into it; false if its chunk is damaged. */
  private fill(frame: Frame, number: number, topics: readonly string[]): boolean {
    const chunk = this.chunkOf[number]!;
    try {
      for (const topic of topics) {
        if (this.putMessage(frame, topic, chunk, frame.time)) continue;
        this.putNear(frame, topic, chunk);
      }
      return true;
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** The message may be in the chunk before or behind, where a chunk ended in the middle of a frame. */
  private putNear(frame: Frame, topic: string, chunk: number): void {
    for (const near of [chunk + 1, chunk - 1]) {
      const other = this.file.chunks[near];
      if (!other || other.start > frame.time || other.end < frame.time) continue;
      if (this.putMessage(frame, topic, near, frame.time)) return;
    }
  }

  private putMessage(frame: Frame, topic: string, chunk: number, time: number | undefined): boolean {
    const channel = this.channels.get(topic);
    if (channel === undefined || time === undefined) return false;
    const index = this.file.index(chunk, channel);
    if (!index) return false;
    const place = firstAtOrAfter(index.times, time);
    if (index.times[place] !== time) return false;
    this.decoder.put(frame, topic, this.file.message(chunk, index.offsets[place]!).data);
    return true;
  }

  private readSeries(chunk: number): void {
    while (this.framesDone < this.times.length && this.chunkOf[this.framesDone] === chunk) {
      const frame = emptyFrame(this.times[this.framesDone]!, this.basePoses);
      if (this.fill(frame, this.framesDone, SERIES_TOPICS)) this.writer.add(frame);
      this.framesDone++;
    }
  }

  private readEvents(chunk: number): void {
    const channel = this.channels.get(TOPIC.events);
    const index = channel === undefined ? undefined : this.indexOf(chunk, channel);
    if (!index) return;
    try {
      for (const offset of index.offsets) {
        const text = decodeText(this.file.message(chunk, offset).data);
        this.events.add(parseJson(text, TOPIC.events), (i) => this.scene.links[i]?.name ?? `link ${i}`);
      }
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error));
    }
  }
}
