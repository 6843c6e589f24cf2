import { toDataView } from './reading.ts';

/** Blocks of bytes that are decoded independently: a frame of uncompressed samples, or a block of ADPCM. */
export interface SampleBlocks {
  readonly blockBytes: number;
  /** Samples per channel in a block. */
  readonly blockFrames: number;
  /** @param bytes whole blocks; the last one may be truncated */
  decode(bytes: Uint8Array): Float32Array[];
}

/** The offset of a file's samples, and how to decode them. */
export interface SampleLayout extends SampleBlocks {
  readonly sampleRateHz: number;
  /** Offset of the first sample, in bytes. */
  readonly dataOffset: number;
  /** `Infinity` if the header has no length: the samples then continue to the end of the file. */
  readonly dataLength: number;
}

/** A 4-bit codec whose blocks begin with the codec's state. */
export interface AdpcmCodec {
  readonly channels: number;
  readonly blockBytes: number;
  /** Size of the state. */
  readonly headerBytes: number;
  /** Samples per channel in the state and the given number of bytes after it. */
  framesOf(bytes: number): number;
  /** @param outputs one per channel, on the 16-bit scale */
  decodeBlock(block: DataView, outputs: readonly Float32Array[]): void;
}

export function adpcmBlocks(codec: AdpcmCodec): SampleBlocks {
  const { channels, blockBytes, headerBytes, decodeBlock } = codec;
  const framesOf = (bytes: number): number => (bytes < headerBytes ? 0 : codec.framesOf(bytes - headerBytes));
  const blockFrames = framesOf(blockBytes);
  return {
    blockBytes,
    blockFrames,
    decode(bytes) {
      const whole = Math.floor(bytes.length / blockBytes);
      const frames = whole * blockFrames + framesOf(bytes.length % blockBytes);
      const outputs = Array.from({ length: channels }, () => new Float32Array(frames));
      for (let at = 0, frame = 0; frame < frames; at += blockBytes, frame += blockFrames) {
        const block = toDataView(bytes.subarray(at, at + blockBytes));
        decodeBlock(
          block,
          outputs.map((output) => output.subarray(frame, frame + blockFrames)),
        );
      }
      for (const output of outputs) for (let i = 0; i < frames; i++) output[i]! /= 2 ** 15;
      return outputs;
    },
  };
}

export function toInt16(value: number): number {
  return Math.max(-32_768, Math.min(32_767, value));
}
