import type { Mp4Box } from './mp4-box.ts';
import type { Mp4SampleEntry } from './mp4-codec.ts';
import type { Reading } from './reading.ts';

/** The audio of an MP4 file by its header. */
export interface Mp4Start extends Mp4SampleEntry {
  /** As the file's header has it, if it says. */
  readonly durationSeconds: number | undefined;
  /** The decoded samples between these are meant to be heard. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Mp4Packet {
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
}

/** Reads packets in the order of decoding. @returns `undefined` at the end of the audio */
export type NextMp4Packet = () => Reading<Mp4Packet | undefined>;

/** The track that is read. */
export interface Mp4Track {
  readonly id: number;
  readonly entry: Mp4SampleEntry;
  /** Units of time in a second. */
  readonly timescale: number;
  readonly timing: Pick<Mp4Start, 'durationSeconds' | 'startSeconds' | 'endSeconds'>;
  /** Its table of samples. */
  readonly stbl: Mp4Box;
}
