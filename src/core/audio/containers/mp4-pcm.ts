import { maxPcmChannels, type PcmEncoding, type PcmFormat } from './pcm-samples.ts';
import { ContainerError } from './reading.ts';

/** The sample description of uncompressed samples. */
export interface Mp4PcmDescription {
  readonly channels: number;
  readonly bits: number;
  /** Flags of `lpcm`: 1 floats, 2 big-endian, 4 signed. */
  readonly flags: number;
}

/**
 * Format of uncompressed samples.
 * @param type of the sample description, such as `sowt`
 * @see QuickTime File Format Specification, Sound Sample Descriptions; ISO/IEC 23003-5
 */
export function toMp4PcmFormat(
  type: string,
  boxes: ReadonlyMap<string, Uint8Array>,
  { channels, bits, flags }: Mp4PcmDescription,
): PcmFormat | undefined {
  // `enda` of QuickTime and the flags of `pcmC` say whether samples are little-endian.
  const isLittle = boxes.get('enda')?.[1] === 1 || ((boxes.get('pcmC')?.[4] ?? 0) & 1) === 1;
  const byteOrder = isLittle ? 'little' : 'big';
  const isoBits = boxes.get('pcmC')?.[5] ?? bits;
  const integer = (width: number) => (({ 8: 's8', 16: 's16', 24: 's24', 32: 's32' }) as const)[width];
  const float = (width: number) => (({ 32: 'f32', 64: 'f64' }) as const)[width];
  const of = (encoding: PcmEncoding | undefined, order: 'little' | 'big'): PcmFormat | undefined => {
    if (encoding === undefined) return undefined;
    if (channels >= 1 && channels <= maxPcmChannels) return { encoding, channels, byteOrder: order };
    throw new ContainerError(`an MP4 of ${channels} channels (1 to ${maxPcmChannels} are read)`);
  };
  switch (type) {
    case 'sowt':
      return of(integer(bits), 'little');
    case 'twos':
      return of(integer(bits), 'big');
    case 'raw ':
      return of('u8', 'big');
    case 'in24':
      return of('s24', byteOrder);
    case 'in32':
      return of('s32', byteOrder);
    case 'fl32':
      return of('f32', byteOrder);
    case 'fl64':
      return of('f64', byteOrder);
    case 'alaw':
      return of('a-law', 'big');
    case 'ulaw':
      return of('mu-law', 'big');
    case 'ipcm':
      return of(integer(isoBits), byteOrder);
    case 'fpcm':
      return of(float(isoBits), byteOrder);
    case 'lpcm':
      return of((flags & 1) !== 0 ? float(bits) : integer(bits), (flags & 2) !== 0 ? 'big' : 'little');
    default:
      return undefined;
  }
}
