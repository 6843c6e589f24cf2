import type { Mp4Box } from './mp4-box.ts';
import type { Mp4SampleEntry } from './mp4-codec.ts';
import type { Reading } from './reading.ts';

/** The audio of an MP4 file as its header describes it. */
export interface Mp4Start extends Mp4SampleEntry {
  /** From the header; `undefined` if it has no duration. */
  readonly durationSeconds: number | undefined;
  /** The audible part of the decoded samples. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Mp4Packet {
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
}

/** Reads packets in decoding order. @returns `undefined` at the end of the audio */
export type NextMp4Packet = () => Reading<Mp4Packet | undefined>;

export interface Mp4Track {
  readonly id: number;
  readonly entry: Mp4SampleEntry;
  /** Time units per second. */
  readonly timescale: number;
  readonly timing: Pick<Mp4Start, 'durationSeconds' | 'startSeconds' | 'endSeconds'>;
  readonly stbl: Mp4Box;
}
