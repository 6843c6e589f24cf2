import type { FrameHeader } from './frame-sync.ts';

/** The header of a frame of MPEG audio, layers I to III. */
export interface MpegHeader extends FrameHeader {
  readonly layer: 1 | 2 | 3;
  readonly isVersion1: boolean;
}

/** In kbit/s. */
const bitRates = {
  1: {
    1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  2: {
    1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

const sampleRatesHz = [44_100, 48_000, 32_000] as const;
/** By the two version bits: 2.5, reserved, 2 and 1. */
const rateDivisors = [4, undefined, 2, 1] as const;

/**
 * Reads the header of a frame of MPEG-1, MPEG-2 or MPEG-2.5 audio.
 * @returns `undefined` for any other bytes and for frames of free bit rate
 * @see ISO/IEC 11172-3 §2.4.1.3; ISO/IEC 13818-3
 */
export function toMpegHeader(bytes: Uint8Array): MpegHeader | undefined {
  const [first, second, third, fourth] = bytes;
  if (first !== 0xff || fourth === undefined || (second! & 0xe0) !== 0xe0) return undefined;
  const divisor = rateDivisors[(second! >> 3) & 3];
  const layer = 4 - ((second! >> 1) & 3);
  if (divisor === undefined || !isLayer(layer)) return undefined;
  const isVersion1 = divisor === 1;
  const kilobits = bitRates[isVersion1 ? 1 : 2][layer][(third! >> 4) - 1];
  const rate = sampleRatesHz[(third! >> 2) & 3];
  if (kilobits === undefined || rate === undefined || (fourth & 3) === 2) return undefined;
  const sampleRateHz = rate / divisor;
  const padding = (third! >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1152;
  const slotBytes = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples / 8 / slotBytes) * ((1000 * kilobits) / sampleRateHz)) + padding;
  return {
    length: slots * slotBytes,
    samples,
    sampleRateHz,
    channels: fourth >> 6 === 3 ? 1 : 2,
    stream: `layer ${layer} at ${sampleRateHz} Hz`,
    layer,
    isVersion1,
  };
}

function isLayer(value: number): value is 1 | 2 | 3 {
  return value >= 1 && value <= 3;
}
