import * as wavefile from 'wavefile';
import type { AudioEncoder } from './contract.ts';
import { toPcm, toPcmBytes } from './pcm.ts';

// Node takes the package's CommonJS, whose default export has the class; bundlers take its module.
const found: object = wavefile;
const { WaveFile } = ('default' in found ? found.default : found) as typeof wavefile;

/** Offsets of the sizes of the file and of its data in a header with only `fmt ` and `data`. */
const sizeOffsets = [4, 40];
const unknownSize = 0xffff_ffff;

/** WAV with signed 16-bit samples. Where the length is not known yet, both sizes of the header are 2³² − 1. */
export const wavEncoder: AudioEncoder = {
  format: 'wav',
  mediaType: 'audio/wav',
  async *encode(pieces, { sampleRateHz, isWhole }) {
    let isFirst = true;
    for await (const samples of pieces) {
      if (isFirst && isWhole) yield writeWav(toPcm(samples), sampleRateHz);
      else if (isFirst) yield Buffer.concat([streamHeader(sampleRateHz), toPcmBytes(samples)]);
      else yield toPcmBytes(samples);
      isFirst = false;
    }
  },
};

function streamHeader(sampleRateHz: number): Uint8Array {
  const header = writeWav(new Int16Array(), sampleRateHz);
  const view = new DataView(header.buffer, header.byteOffset);
  for (const offset of sizeOffsets) view.setUint32(offset, unknownSize, true);
  return header;
}

function writeWav(samples: Int16Array, sampleRateHz: number): Uint8Array {
  const file = new WaveFile();
  file.fromScratch(1, sampleRateHz, '16', samples);
  return file.toBuffer();
}
