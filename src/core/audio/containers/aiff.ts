import { maxPcmChannels, pcmBlocks, type PcmEncoding } from './pcm-samples.ts';
import { ContainerError, ForeignAudio, type Reading, toDataView, toLatin1 } from './reading.ts';
import type { SampleBlocks, SampleLayout } from './sample-layout.ts';

const maxChunks = 1000;

const integerTypes: ReadonlySet<string> = new Set(['none', 'twos', 'sowt', 'in24', 'in32']);
/** By bytes per sample. */
const integers: readonly PcmEncoding[] = ['s8', 's16', 's24', 's32'];
const encodings: Readonly<Partial<Record<string, PcmEncoding>>> = {
  'raw ': 'u8',
  fl32: 'f32',
  fl64: 'f64',
  ulaw: 'mu-law',
  alaw: 'a-law',
};

/**
 * Reads the header of an uncompressed AIFF or AIFF-C file.
 * @see Apple, Audio Interchange File Format AIFF-C (1991)
 */
export function* readAiffLayout(start = 0): Reading<SampleLayout> {
  let format: (SampleBlocks & { readonly sampleRateHz: number }) | undefined;
  let data: { readonly dataOffset: number; readonly dataLength: number } | undefined;
  let offset = start + 12;
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const header: Uint8Array = yield { offset, length: 8 };
    if (header.length < 8) break;
    const id = toLatin1(header.subarray(0, 4));
    const length = toDataView(header).getUint32(4);
    offset += 8;
    if (id === 'COMM') format = toFormat(yield { offset, length: Math.min(length, 22) });
    else if (id === 'SSND') {
      const head: Uint8Array = yield { offset, length: 8 };
      if (head.length < 8) break;
      const skipped = 8 + toDataView(head).getUint32(0);
      data = { dataOffset: offset + skipped, dataLength: length === 0 ? Infinity : length - skipped };
    }
    if (format !== undefined && data !== undefined) return { ...format, ...data };
    offset += length + (length % 2);
  }
  throw new ContainerError(`an AIFF file without ${format === undefined ? 'a format' : 'samples'}`);
}

function toFormat(bytes: Uint8Array): SampleBlocks & { readonly sampleRateHz: number } {
  if (bytes.length < 18) throw new ContainerError('an AIFF file whose format is cut off');
  const view = toDataView(bytes);
  const channels = view.getUint16(0);
  const bits = view.getUint16(6);
  // An extended float of 80 bits; no rate needs more than the upper half of its mantissa.
  const sampleRateHz = view.getUint32(10) * 2 ** ((view.getUint16(8) & 0x7fff) - 16_383 - 31);
  const type = bytes.length < 22 ? 'NONE' : toLatin1(bytes.subarray(18, 22));
  if (channels < 1 || channels > maxPcmChannels)
    throw new ContainerError(`an AIFF file of ${channels} channels (1 to ${maxPcmChannels} are read)`);
  const kind = type.toLowerCase();
  const encoding = integerTypes.has(kind) ? integers[Math.ceil(bits / 8) - 1] : encodings[kind];
  if (encoding === undefined && !integerTypes.has(kind))
    throw new ForeignAudio(`an AIFF file with ${type.trim()} in it`, 'aiff');
  if (encoding === undefined) throw new ContainerError(`an AIFF file with samples of ${bits} bits`);
  const byteOrder = type === 'sowt' ? 'little' : 'big';
  return { ...pcmBlocks({ encoding, channels, byteOrder }), sampleRateHz };
}
