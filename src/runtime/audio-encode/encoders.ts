import type { SpeechFormat } from '../../core/audio/speech-formats.ts';
import { getOrCreate } from '../../core/get-or-create.ts';
import { fieldError } from '../../errors.ts';
import { encoderOf, type AudioEncoder } from './contract.ts';
import { createFfmpegEncoder, ffmpegFormats, listFfmpegFormats } from './ffmpeg.ts';
import { loadOpusEncoder } from './opus.ts';
import { pcmEncoder, toPcmBytes } from './pcm.ts';
import { loadWebCodecsEncoder, webCodecsFormats } from './web-codecs.ts';
import * as wavefile from 'wavefile';

// Node loads the package's CommonJS, whose default export contains the class; bundlers load its module.
const found: object = wavefile;
const { WaveFile } = ('default' in found ? found.default : found) as typeof wavefile;

/** Offsets of the file size and the data size in a header with only `fmt ` and `data`. */
const sizeOffsets = [4, 40];
const unknownSize = 0xffff_ffff;

/** WAV with signed 16-bit samples. If the length is unknown, both sizes in the header are 2³² − 1. */
export const wavEncoder = encoderOf('wav', async function* (pieces, { sampleRateHz, isWhole }) {
  let isFirst = true;
  for await (const samples of pieces) {
    const bytes = toPcmBytes(samples);
    yield isFirst
      ? Buffer.concat([wavHeader(sampleRateHz, isWhole ? bytes.length : undefined), bytes])
      : bytes;
    isFirst = false;
  }
});

/** The package only writes the header: for samples it takes a quarter of a second per minute of speech. */
function wavHeader(sampleRateHz: number, dataBytes: number | undefined): Uint8Array {
  const file = new WaveFile();
  file.fromScratch(1, sampleRateHz, '16', new Int16Array());
  const header = file.toBuffer();
  const view = new DataView(header.buffer, header.byteOffset);
  for (const offset of sizeOffsets) {
    const before = view.getUint32(offset, true);
    view.setUint32(offset, dataBytes === undefined ? unknownSize : before + dataBytes, true);
  }
  return header;
}

export type FindEncoder = (format: SpeechFormat) => Promise<AudioEncoder>;

const ownEncoders = [wavEncoder, pcmEncoder];

export interface EncoderPackage {
  readonly name: string;
  readonly format: SpeechFormat;
  /** `undefined` if it isn't installed. */
  load(): Promise<AudioEncoder | undefined>;
}

const optionalPackages: readonly EncoderPackage[] = [
  ...webCodecsFormats.map((format) => ({
    name: 'node-webcodecs',
    format,
    load: () => loadWebCodecsEncoder(format),
  })),
  { name: '@evan/opus', format: 'opus', load: loadOpusEncoder },
];

export interface EncoderFinderOptions {
  /** Path of the program; default `ffmpeg` on the PATH. */
  readonly ffmpegPath?: string | undefined;
  /** Default: `node-webcodecs` and `@evan/opus`. */
  readonly packages?: readonly EncoderPackage[] | undefined;
}

/**
 * Creates a finder of encoders: `wav` and `pcm` are built in, optional packages encode further formats, and FFmpeg the
 * rest; its formats are queried once.
 */
export function createEncoderFinder({
  ffmpegPath = 'ffmpeg',
  packages = optionalPackages,
}: EncoderFinderOptions = {}): FindEncoder {
  const loaded = new Map<SpeechFormat, Promise<AudioEncoder | undefined>>();
  const load = (source: EncoderPackage): Promise<AudioEncoder | undefined> =>
    getOrCreate(loaded, source.format, () => source.load());
  let listed: Promise<readonly SpeechFormat[]> | undefined;
  return async (format) => {
    const own = ownEncoders.find((encoder) => encoder.format === format);
    if (own) return own;
    const source = packages.find((one) => one.format === format);
    const packaged = source && (await load(source));
    if (packaged) return packaged;
    listed ??= listFfmpegFormats(ffmpegPath).catch((error: unknown) => {
      listed = undefined;
      throw error;
    });
    const added = await listed;
    if (added.includes(format)) return createFfmpegEncoder(ffmpegPath, format);
    const installed = (await Promise.all(packages.map(load))).flatMap((encoder) => encoder?.format ?? []);
    const offered = new Set([...ownEncoders.map((encoder) => encoder.format), ...installed, ...added]);
    const program = `an ffmpeg with ${ffmpegFormats[format]?.codec} on this machine`;
    const reason = `expected one of ${[...offered].join(', ')}, got ${format}, which needs ${source ? `the package ${source.name} or ` : ''}${program}`;
    throw fieldError('response_format', reason);
  };
}
