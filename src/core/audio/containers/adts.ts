import type { FrameHeader } from './frame-sync.ts';

export interface AdtsHeader extends FrameHeader {
  /** Start of the access unit within the frame, in bytes. */
  readonly headerLength: number;
  /** The AudioSpecificConfig that an MP4 has in its header. */
  readonly config: Uint8Array;
}

const sampleRatesHz = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
] as const;

/**
 * Reads the header of an ADTS frame.
 * @returns `undefined` for any other bytes and for frames of several access units
 * @see ISO/IEC 13818-7 §6.2
 */
export function toAdtsHeader(bytes: Uint8Array): AdtsHeader | undefined {
  const [first, second, third, fourth, fifth, sixth, seventh] = bytes;
  if (first !== 0xff || seventh === undefined || (second! & 0xf6) !== 0xf0) return undefined;
  const profile = third! >> 6;
  const rateIndex = (third! >> 2) & 15;
  const sampleRateHz = sampleRatesHz[rateIndex];
  const channelConfig = ((third! & 1) << 2) | (fourth! >> 6);
  const length = ((fourth! & 3) << 11) | (fifth! << 3) | (sixth! >> 5);
  const headerLength = second! & 1 ? 7 : 9;
  if (sampleRateHz === undefined || channelConfig === 0) return undefined;
  if (length <= headerLength || (seventh & 3) !== 0) return undefined;
  const objectType = profile + 1;
  return {
    length,
    headerLength,
    samples: 1024,
    sampleRateHz,
    channels: channelConfig === 7 ? 8 : channelConfig,
    stream: `profile ${profile} at ${sampleRateHz} Hz, channels ${channelConfig}`,
    config: Uint8Array.of(
      (objectType << 3) | (rateIndex >> 1),
      ((rateIndex & 1) << 7) | (channelConfig << 3),
    ),
  };
}

/**
 * Writes the ADTS header for a packet of mono AAC-LC.
 * @see ISO/IEC 13818-7 §6.2
 */
export function writeAdtsHeader(packet: Uint8Array, sampleRateHz: number): Uint8Array {
  const rate = (sampleRatesHz as readonly number[]).indexOf(sampleRateHz);
  if (rate < 0) throw new RangeError(`sampleRateHz: expected one of ADTS, got ${sampleRateHz}`);
  const length = packet.length + 7;
  const profile = 1;
  const channels = 1;
  return Uint8Array.of(
    0xff,
    0xf1,
    (profile << 6) | (rate << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  );
}
