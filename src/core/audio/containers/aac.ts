import { ContainerError } from './reading.ts';

export interface AacConfig {
  /** 2 is AAC-LC, 5 HE-AAC, 29 HE-AAC v2. */
  readonly objectType: number;
  /** 1 mono, 2 stereo, up to 7 for more channels; 0 if the audio frames define it. */
  readonly channelConfig: number;
}

/**
 * Reads an AudioSpecificConfig.
 * @see ISO/IEC 14496-3 §1.6.2.1
 */
export function toAacConfig(bytes: Uint8Array): AacConfig {
  const read = createBitReader(bytes);
  let objectType = read(5);
  if (objectType === 31) objectType = 32 + read(6);
  if (read(4) === 15) read(24);
  const channelConfig = read(4);
  if (Number.isNaN(channelConfig)) throw new ContainerError('AAC audio with a damaged header');
  return { objectType, channelConfig };
}

const elements = { single: 0, pair: 1, data: 4, program: 5, fill: 6, end: 7 } as const;

/**
 * Whether an access unit of AAC-LC or HE-AAC begins with the channels that the header promised. A decoder that changes
 * their number mid-stream may write beyond its buffers.
 * @see ISO/IEC 14496-3 §4.4.2.1
 */
export function hasPromisedChannels(packet: Uint8Array, { channelConfig }: AacConfig): boolean {
  const read = createBitReader(packet);
  for (;;) {
    const element = read(3);
    if (element === elements.fill) {
      let bytes = read(4);
      if (bytes === 15) bytes += read(8) - 1;
      read(8 * bytes);
    } else if (element === elements.data) {
      read(4);
      const isAligned = read(1) === 1;
      let bytes = read(8);
      if (bytes === 255) bytes += read(8);
      if (isAligned) read.align();
      read(8 * bytes);
    } else if (channelConfig === 1) {
      return element === elements.single;
    } else if (channelConfig === 2) {
      return element === elements.pair;
    } else {
      return element <= elements.program;
    }
  }
}

interface BitReader {
  /** The next bits as a number, `NaN` beyond the end; more than 32 bits are only skipped. */
  (bits: number): number;
  /** Skips to the next whole byte. */
  align(): void;
}

function createBitReader(bytes: Uint8Array): BitReader {
  let at = 0;
  const read = (bits: number): number => {
    const end = at + bits;
    if (!(end <= 8 * bytes.length)) return Number.NaN;
    let value = 0;
    if (bits <= 32) for (; at < end; at++) value = 2 * value + ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    at = end;
    return value;
  };
  return Object.assign(read, {
    align: () => {
      at = 8 * Math.ceil(at / 8);
    },
  });
}
