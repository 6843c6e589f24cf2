import { readMp4Boxes } from './mp4-box.ts';
import { maxPcmChannels, type PcmEncoding, type PcmFormat } from './pcm-samples.ts';
import { concatenate, ContainerError, fromLatin1, performOn, toDataView, toLatin1 } from './reading.ts';

interface Mp4PcmDescription {
  readonly channels: number;
  readonly bits: number;
  /** Flags of `lpcm`: 1 floats, 2 big-endian, 4 signed. */
  readonly flags: number;
}

const integers: Readonly<Record<number, PcmEncoding>> = { 8: 's8', 16: 's16', 24: 's24', 32: 's32' };
const floats: Readonly<Record<number, PcmEncoding>> = { 32: 'f32', 64: 'f64' };

/** The encoding of uncompressed samples, by sample description type; `undefined` for unsupported bit depths. */
const pcmEncodings: Readonly<
  Record<string, (samples: Mp4PcmDescription & { readonly isoBits: number }) => PcmEncoding | undefined>
> = {
  sowt: ({ bits }) => integers[bits],
  twos: ({ bits }) => integers[bits],
  'raw ': () => 'u8',
  in24: () => 's24',
  in32: () => 's32',
  fl32: () => 'f32',
  fl64: () => 'f64',
  alaw: () => 'a-law',
  ulaw: () => 'mu-law',
  ipcm: ({ isoBits }) => integers[isoBits],
  fpcm: ({ isoBits }) => floats[isoBits],
  lpcm: ({ bits, flags }) => ((flags & 1) !== 0 ? floats : integers)[bits],
};

/**
 * @param type of the sample description, such as `sowt`
 * @see QuickTime File Format Specification, Sound Sample Descriptions; ISO/IEC 23003-5
 */
function toMp4PcmFormat(
  type: string,
  boxes: ReadonlyMap<string, Uint8Array>,
  samples: Mp4PcmDescription,
): PcmFormat | undefined {
  const { channels, bits, flags } = samples;
  const isoBits = boxes.get('pcmC')?.[5] ?? bits;
  const encoding = pcmEncodings[type]?.({ ...samples, isoBits });
  if (encoding === undefined) return undefined;
  if (channels < 1 || channels > maxPcmChannels)
    throw new ContainerError(`an MP4 of ${channels} channels (1 to ${maxPcmChannels} are read)`);
  // `enda` of QuickTime and the flags of `pcmC` tell whether samples are little-endian, unless the type implies it.
  const saysLittle = boxes.get('enda')?.[1] === 1 || ((boxes.get('pcmC')?.[4] ?? 0) & 1) === 1;
  const isLittle = type === 'lpcm' ? (flags & 2) === 0 : type === 'sowt' || (type !== 'twos' && saysLittle);
  return { encoding, channels, byteOrder: isLittle ? 'little' : 'big' };
}

type CompressedCodec = 'aac' | 'mp3' | 'opus' | 'vorbis' | 'flac';

export type Mp4Codec =
  | {
      readonly kind: 'compressed';
      readonly codec: CompressedCodec;
      /** The codec's configuration, in the form that WebM files use. */
      readonly description: Uint8Array;
    }
  | { readonly kind: 'pcm'; readonly format: PcmFormat }
  /** Recognised but not supported. */
  | { readonly kind: 'other'; readonly name: string };

/** The first sample description of a track. */
export interface Mp4SampleEntry {
  readonly codec: Mp4Codec;
  readonly channels: number;
  readonly sampleRateHz: number;
}

const otherCodecs: Readonly<Record<string, string>> = {
  alac: 'ALAC',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  'ac-4': 'AC-4',
  dtsc: 'DTS',
  dtsh: 'DTS',
  dtse: 'DTS',
  samr: 'AMR',
  sawb: 'AMR-WB',
  ima4: 'IMA ADPCM',
  'ms\0\x11': 'IMA ADPCM',
  mlpa: 'TrueHD',
  mhm1: 'MPEG-H',
  mha1: 'MPEG-H',
  Qclp: 'QCELP',
  QDM2: 'QDesign',
  enca: 'encrypted',
  drms: 'encrypted',
};

/**
 * Reads the content of a `stsd` box.
 * @see ISO/IEC 14496-12 §12.2.3; QuickTime File Format Specification, Sound Sample Descriptions
 */
export function toMp4SampleEntry(stsd: Uint8Array): Mp4SampleEntry {
  const view = toDataView(stsd);
  if (stsd.length < 44) throw new ContainerError('an MP4 with a damaged header');
  const type = toLatin1(stsd.subarray(12, 16));
  const version = view.getUint16(24);
  const isVersion2 = version === 2 && stsd.length >= 80;
  const childrenAt = isVersion2 ? 80 : version === 1 ? 60 : 44;
  const end = Math.min(stsd.length, 8 + view.getUint32(8));
  const boxes = toBoxes(stsd.subarray(childrenAt, end));
  const channels = isVersion2 ? view.getUint32(56) : view.getUint16(32);
  const sampleRateHz = isVersion2 ? view.getFloat64(48) : view.getUint32(40) / 2 ** 16;
  const bits = isVersion2 ? view.getUint32(64) : view.getUint16(34);
  const flags = isVersion2 ? view.getUint32(68) : 0;
  const wave = boxes.get('wave');
  const inner = wave === undefined ? boxes : new Map([...boxes, ...toBoxes(wave)]);
  return { codec: toCodec(type, inner, { channels, bits, flags }), channels, sampleRateHz };
}

function toCodec(type: string, boxes: ReadonlyMap<string, Uint8Array>, samples: Mp4PcmDescription): Mp4Codec {
  const pcm = toMp4PcmFormat(type, boxes, samples);
  if (pcm !== undefined) return { kind: 'pcm', format: pcm };
  switch (type) {
    case 'mp4a':
      return toElementaryCodec(boxes.get('esds'));
    case '.mp3':
    case 'ms\0\x55':
      return compressed('mp3');
    case 'Opus':
      return compressed('opus', toOpusDescription(boxes.get('dOps')));
    case 'fLaC':
      return compressed('flac', concatenate([fromLatin1('fLaC'), boxes.get('dfLa')?.subarray(4) ?? nothing]));
    default:
      return { kind: 'other', name: otherCodecs[type] ?? `unknown (${type.replaceAll(/[^ -~]/g, '?')})` };
  }
}

const nothing: Uint8Array = new Uint8Array();

function compressed(codec: CompressedCodec, description = nothing): Mp4Codec {
  return { kind: 'compressed', codec, description };
}

const descriptors = { stream: 3, decoderConfig: 4, decoderInfo: 5 } as const;

/** @see ISO/IEC 14496-1 §7.2.6 */
function toElementaryCodec(esds: Uint8Array | undefined): Mp4Codec {
  let rest = esds?.subarray(4) ?? nothing;
  let objectType = 0;
  while (rest.length > 1) {
    const tag = rest[0];
    let at = 1;
    let length = 0;
    let byte;
    do length = (length << 7) | ((byte = rest[at++] ?? 0) & 127);
    while (byte > 127 && at < 5);
    const content = rest.subarray(at);
    if (tag === descriptors.stream) {
      const flags = content[2] ?? 0;
      rest = content.subarray(
        3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + content[3]! : 0) + (flags & 0x20 ? 2 : 0),
      );
    } else if (tag === descriptors.decoderConfig) {
      objectType = content[0] ?? 0;
      rest = content.subarray(13);
      if (isMp3(objectType)) break;
    } else if (tag === descriptors.decoderInfo) {
      const description = Uint8Array.from(content.subarray(0, length));
      if (objectType === 0xdd) return compressed('vorbis', description);
      if (isAac(objectType)) return compressed('aac', description);
      break;
    } else {
      rest = content.subarray(length);
    }
  }
  if (isMp3(objectType)) return compressed('mp3');
  return {
    kind: 'other',
    name: objectType === 0xa5 ? 'AC-3' : objectType === 0xa9 ? 'DTS' : 'unknown (mp4a)',
  };
}

function isMp3(objectType: number): boolean {
  return objectType === 0x69 || objectType === 0x6b;
}

function isAac(objectType: number): boolean {
  return objectType === 0x40 || (objectType >= 0x66 && objectType <= 0x68);
}

/** Converts the big-endian `dOps` box of MP4 to the identification header of Ogg. */
function toOpusDescription(dOps: Uint8Array | undefined): Uint8Array {
  if (dOps === undefined || dOps.length < 11) throw new ContainerError('Opus audio with a damaged header');
  const head = Uint8Array.from([...fromLatin1('OpusHead'), 1, ...dOps.subarray(1)]);
  const [from, to] = [toDataView(dOps), toDataView(head)];
  to.setUint16(10, from.getUint16(2), true);
  to.setUint32(12, from.getUint32(4), true);
  to.setUint16(16, from.getUint16(8), true);
  return head;
}

/** By type; the first of each type wins, and reading stops at a damaged box. */
function toBoxes(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const boxes = performOn(bytes, readMp4Boxes({ start: 0, end: bytes.length }));
  return new Map(boxes.toReversed().map(({ type, start, end }) => [type, bytes.subarray(start, end)]));
}
