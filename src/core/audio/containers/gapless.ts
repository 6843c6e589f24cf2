import { type MpegHeader } from './mpeg-audio.ts';
import { fromLatin1, toDataView, toLatin1 } from './reading.ts';

/** The range of decoded samples that belong to the original audio, per channel in decoding order. */
export interface GaplessRange {
  readonly start: number;
  /** `Infinity` if unknown. */
  readonly end: number;
}

/** The delay of every MP3 decoder, in samples. */
const decoderDelay = 529;

/**
 * Reads the silent frame with which MP3 encoders state the length.
 * @see http://gabriel.mp3-tech.org/mp3infotag.html (Xing, Info, LAME); VBRI as written by Fraunhofer's encoder
 */
export function toGaplessRange(frame: Uint8Array, header: MpegHeader): GaplessRange | undefined {
  if (header.layer !== 3) return undefined;
  if (toLatin1(frame.subarray(36, 40)) === 'VBRI') return { start: 0, end: Infinity };
  const isMono = header.channels === 1;
  const at = 4 + (header.isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  if (!/^(Xing|Info)$/.test(toLatin1(frame.subarray(at, at + 4))) || frame.length < at + 8) return undefined;
  const view = toDataView(frame);
  const flags = view.getUint32(at + 4);
  const has = (flag: number) => (flags & flag) !== 0;
  const hasFrames = has(1) && frame.length >= at + 12;
  const samples = hasFrames ? view.getUint32(at + 8) * header.samples : Infinity;
  const lame = at + 8 + (has(1) ? 4 : 0) + (has(2) ? 4 : 0) + (has(4) ? 100 : 0) + (has(8) ? 4 : 0);
  if (frame.length < lame + 24 || !/^(LAME|Lavf|Lavc)$/.test(toLatin1(frame.subarray(lame, lame + 4))))
    return { start: 0, end: samples };
  const delay = (frame[lame + 21]! << 4) | (frame[lame + 22]! >> 4);
  const padding = ((frame[lame + 22]! & 15) << 8) | frame[lame + 23]!;
  return { start: delay + decoderDelay, end: samples - padding + decoderDelay };
}

/** Samples that LAME inserts before the audio. */
const lameDelay = 576;

/** Writes the silent frame that tells players how many samples to skip at the beginning; the length stays open. */
export function writeGaplessHead(frame: Uint8Array): Uint8Array {
  const isVersion1 = (frame[1]! & 8) !== 0;
  const head = new Uint8Array(frame.length);
  head.set(frame.subarray(0, 4));
  const at = 4 + (isVersion1 ? 17 : 9);
  head.set(fromLatin1('Info'), at);
  head.set(fromLatin1('LAME'), at + 8);
  head[at + 29] = lameDelay >> 4;
  head[at + 30] = (lameDelay & 15) << 4;
  return head;
}
