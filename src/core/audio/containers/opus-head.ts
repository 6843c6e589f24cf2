import { ContainerError, fromLatin1, toDataView, toLatin1 } from './reading.ts';

export interface OpusHead {
  readonly channels: number;
  /** Samples at 48 kHz to drop at the beginning. */
  readonly preSkip: number;
  /** Factor for every sample. */
  readonly gain: number;
  readonly streams: number;
  /** Number of stereo streams among `streams`. */
  readonly coupledStreams: number;
  /** For every channel: the index of its decoded channel, or 255 for silence. */
  readonly mapping: readonly number[];
}

/**
 * Reads the identification header of Opus: the first packet in Ogg files, the private data in WebM files.
 * @see RFC 7845 §5.1
 */
export function toOpusHead(bytes: Uint8Array): OpusHead {
  if (toLatin1(bytes.subarray(0, 8)) !== 'OpusHead' || bytes.length < 19 || bytes[8]! > 15)
    throw new ContainerError('Opus audio with a damaged header');
  const view = toDataView(bytes);
  const channels = bytes[9]!;
  const common = {
    channels,
    preSkip: view.getUint16(10, true),
    gain: 10 ** (view.getInt16(16, true) / 256 / 20),
  };
  if (bytes[18] === 0 && (channels === 1 || channels === 2))
    return { ...common, streams: 1, coupledStreams: channels - 1, mapping: channels === 1 ? [0] : [0, 1] };
  const [streams, coupledStreams] = bytes.subarray(19, 21);
  const mapping = [...bytes.subarray(21, 21 + channels)];
  const decoded = (streams ?? 0) + (coupledStreams ?? 0);
  const isValid =
    bytes[18] !== 0 &&
    channels > 0 &&
    mapping.length === channels &&
    streams! > 0 &&
    coupledStreams! <= streams! &&
    decoded <= 255 &&
    mapping.every((index) => index < decoded || index === 255);
  if (!isValid) throw new ContainerError('Opus audio with a damaged header');
  return { ...common, streams: streams!, coupledStreams: coupledStreams!, mapping };
}

/**
 * Writes the identification header of mono Opus.
 * @param options.preSkip samples at 48 kHz that decoders drop at the beginning
 * @see RFC 7845 §5.1
 */
export function writeOpusHead(options: { preSkip: number; sampleRateHz: number }): Uint8Array {
  const { preSkip, sampleRateHz } = options;
  const bytes = new Uint8Array(19);
  bytes.set(fromLatin1('OpusHead'));
  bytes.set([1, 1], 8);
  const view = toDataView(bytes);
  view.setUint16(10, preSkip, true);
  view.setUint32(12, sampleRateHz, true);
  return bytes;
}

/**
 * Writes an empty comment header of Opus.
 * @see RFC 7845 §5.2
 */
export function writeOpusTags(vendor: string): Uint8Array {
  const name = new TextEncoder().encode(vendor);
  const bytes = new Uint8Array(8 + 4 + name.length + 4);
  bytes.set(fromLatin1('OpusTags'));
  toDataView(bytes).setUint32(8, name.length, true);
  bytes.set(name, 12);
  return bytes;
}
