import { toDataView } from './reading.ts';

/** Blocks of bytes that are decoded each by itself: a frame of uncompressed samples, or a block of ADPCM. */
export interface SampleBlocks {
  readonly blockBytes: number;
  /** Samples of each channel in a block. */
  readonly blockFrames: number;
  /** @param bytes whole blocks; the last one may be cut off */
  decode(bytes: Uint8Array): Float32Array[];
}

/** The place of a file's samples, and how they are read. */
export interface SampleLayout extends SampleBlocks {
  readonly sampleRateHz: number;
  /** Start of the first sample, in bytes. */
  readonly dataOffset: number;
  /** `Infinity` where the header doesn't say: the samples then go on until the file ends. */
  readonly dataLength: number;
}

/** A codec of 4 bits, each of whose blocks begins with its state. */
export interface AdpcmCodec {
  readonly channels: number;
  readonly blockBytes: number;
  /** Size of the state. */
  readonly headerBytes: number;
  /** Samples of each channel in the state and so many bytes after it. */
  framesOf(bytes: number): number;
  /** @param outputs one for each channel, on the scale of 16 bits */
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
