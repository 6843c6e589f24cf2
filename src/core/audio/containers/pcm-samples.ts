import { toDataView } from './reading.ts';
import type { SampleBlocks } from './sample-layout.ts';

const aLawTable = Float32Array.from({ length: 256 }, (_, code) => toALawSample(code) / 2 ** 15);
const muLawTable = Float32Array.from({ length: 256 }, (_, code) => toMuLawSample(code) / 2 ** 15);

/** @see ITU-T G.711 */
export function expandALaw(code: number): number {
  return aLawTable[code] ?? 0;
}

export function expandMuLaw(code: number): number {
  return muLawTable[code] ?? 0;
}

/** On the scale of 16 bits. */
function toALawSample(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 7;
  const step = ((bits & 15) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 256) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

/** On the scale of 16 bits. */
function toMuLawSample(code: number): number {
  const bits = ~code;
  const magnitude = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}

export type PcmEncoding = 'u8' | 's8' | 's16' | 's24' | 's32' | 'f32' | 'f64' | 'a-law' | 'mu-law';

export const maxPcmChannels = 64;

export interface PcmFormat {
  readonly encoding: PcmEncoding;
  readonly channels: number;
  /** Default `little`. */
  readonly byteOrder?: 'little' | 'big' | undefined;
}

export const bytesPerSample: Readonly<Record<PcmEncoding, number>> = {
  u8: 1,
  s8: 1,
  s16: 2,
  s24: 3,
  s32: 4,
  f32: 4,
  f64: 8,
  'a-law': 1,
  'mu-law': 1,
};

/**
 * Reads uncompressed samples.
 * @param bytes any number of whole frames; an incomplete frame at the end is ignored
 */
export function toSamples(
  bytes: Uint8Array,
  { encoding, channels, byteOrder = 'little' }: PcmFormat,
): Float32Array[] {
  const view = toDataView(bytes);
  const step = channels * bytesPerSample[encoding];
  const frames = Math.floor(bytes.length / step);
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames);
    readers[encoding](view, channel * bytesPerSample[encoding], step, samples, byteOrder === 'little');
    return samples;
  });
}

export function pcmBlocks(format: PcmFormat): SampleBlocks {
  const blockBytes = format.channels * bytesPerSample[format.encoding];
  return { blockBytes, blockFrames: 1, decode: (bytes) => toSamples(bytes, format) };
}

/** Fills `samples` from offsets `offset`, `offset + step`, … */
type ReadSamples = (
  view: DataView,
  offset: number,
  step: number,
  samples: Float32Array,
  isLittle: boolean,
) => void;

const readers: Readonly<Record<PcmEncoding, ReadSamples>> = {
  u8: byTable(Float32Array.from({ length: 256 }, (_, code) => code / 128 - 1)),
  s8: byTable(Float32Array.from({ length: 256 }, (_, code) => ((code << 24) >> 24) / 128)),
  s16: (view, offset, step, samples, isLittle) => {
    for (let i = 0; i < samples.length; i++)
      samples[i] = view.getInt16(offset + i * step, isLittle) / 2 ** 15;
  },
  s24: (view, offset, step, samples, isLittle) => {
    const [low, high] = isLittle ? [0, 2] : [1, 0];
    for (let i = 0; i < samples.length; i++) {
      const at = offset + i * step;
      samples[i] = ((view.getInt8(at + high) << 16) | view.getUint16(at + low, isLittle)) / 2 ** 23;
    }
  },
  s32: (view, offset, step, samples, isLittle) => {
    for (let i = 0; i < samples.length; i++)
      samples[i] = view.getInt32(offset + i * step, isLittle) / 2 ** 31;
  },
  f32: (view, offset, step, samples, isLittle) => {
    for (let i = 0; i < samples.length; i++) samples[i] = view.getFloat32(offset + i * step, isLittle);
  },
  f64: (view, offset, step, samples, isLittle) => {
    for (let i = 0; i < samples.length; i++) samples[i] = view.getFloat64(offset + i * step, isLittle);
  },
  'a-law': byTable(aLawTable),
  'mu-law': byTable(muLawTable),
};

/** @param table the sample of each byte */
function byTable(table: Float32Array): ReadSamples {
  return (view, offset, step, samples) => {
    for (let i = 0; i < samples.length; i++) samples[i] = table[view.getUint8(offset + i * step)]!;
  };
}
