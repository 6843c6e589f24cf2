import { ebmlElements, toFields, toFloat, toUnsigned } from './ebml.ts';
import { ContainerError, toLatin1 } from './reading.ts';

export interface WebmTrack {
  readonly number: number;
  readonly codec: WebmCodec;
  readonly codecPrivate: Uint8Array;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** How much to drop at the beginning; `undefined` if the file doesn't specify it. */
  readonly delaySeconds: number | undefined;
  /** Bytes to prepend to every packet. */
  readonly strippedHeader: Uint8Array;
}

export type WebmCodec = 'opus' | 'vorbis' | 'flac' | 'mp3' | 'aac';

const codecs: ReadonlyMap<string, WebmCodec> = new Map([
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_FLAC', 'flac'],
  ['A_MPEG/L3', 'mp3'],
  ['A_MPEG/L2', 'mp3'],
  ['A_AAC', 'aac'],
]);

const otherCodecs: ReadonlyMap<string, string> = new Map([
  ['A_AC3', 'AC-3'],
  ['A_EAC3', 'E-AC-3'],
  ['A_DTS', 'DTS'],
  ['A_TRUEHD', 'TrueHD'],
  ['A_ALAC', 'ALAC'],
  ['A_PCM/INT/LIT', 'PCM'],
  ['A_PCM/INT/BIG', 'PCM'],
  ['A_PCM/FLOAT/IEEE', 'PCM'],
]);

const ids = {
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  codecDelay: 0x56aa,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentCompression: 0x5034,
  compressionAlgorithm: 0x4254,
  compressionSettings: 0x4255,
} as const;

const audioType = 2;
const headerStripping = 3;
const nothing = new Uint8Array();

/** The first audio track with a supported codec in a `Tracks` element. */
export function toWebmTrack(tracks: Uint8Array): WebmTrack {
  let failure: ContainerError | undefined;
  for (const { id, content } of ebmlElements(tracks)) {
    if (id !== ids.trackEntry) continue;
    const fields = toFields(content);
    const number = (name: keyof typeof ids) => toUnsigned(fields.get(ids[name]));
    if (number('trackType') !== audioType) continue;
    const codecId = toLatin1(fields.get(ids.codecId) ?? nothing).replace(/\0+$/, '');
    const codec = codecs.get(codecId.startsWith('A_AAC') ? 'A_AAC' : codecId);
    const strippedHeader = toStrippedHeader(fields.get(ids.contentEncodings));
    if (codec === undefined || strippedHeader === undefined) {
      const what =
        codec === undefined
          ? `${otherCodecs.get(codecId) ?? 'unknown'} audio`
          : 'encrypted or compressed audio';
      failure ??= new ContainerError(`a WebM or Matroska file with ${what} in it`);
      continue;
    }
    const audio = toFields(fields.get(ids.audio));
    return {
      number: number('trackNumber'),
      codec,
      codecPrivate: (fields.get(ids.codecPrivate) ?? nothing).slice(),
      channels: toUnsigned(audio.get(ids.channels) ?? Uint8Array.of(1)),
      sampleRateHz: toFloat(audio.get(ids.samplingFrequency)) || 8000,
      delaySeconds: fields.has(ids.codecDelay) ? number('codecDelay') / 1e9 : undefined,
      strippedHeader,
    };
  }
  throw failure ?? new ContainerError('a WebM or Matroska file without audio');
}

/** @returns `undefined` for unsupported encodings */
function toStrippedHeader(encodings: Uint8Array | undefined): Uint8Array | undefined {
  if (encodings === undefined) return nothing;
  const encoding = toFields(encodings).get(ids.contentEncoding);
  const compression = encoding && toFields(encoding).get(ids.contentCompression);
  const settings = compression && toFields(compression);
  const algorithm = toUnsigned(settings?.get(ids.compressionAlgorithm));
  return algorithm === headerStripping ? settings?.get(ids.compressionSettings)?.slice() : undefined;
}
