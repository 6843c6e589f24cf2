import { toAdtsHeader } from './adts.ts';
import { findFrame } from './frame-sync.ts';
import { toMpegHeader } from './mpeg-audio.ts';
import { ContainerError, ForeignAudio, type Reading, toLatin1 } from './reading.ts';

export const audioFormats = ['wav', 'mp3', 'flac', 'ogg', 'webm', 'mp4', 'aac', 'aiff'] as const;

export type AudioFormat = (typeof audioFormats)[number];

export interface DetectedAudio {
  readonly format: AudioFormat;
  /** Start, in bytes: after tags and other leading content. */
  readonly offset: number;
}

/** How far to search for MP3 and AAC frames after other content, in bytes. */
const searchBytes = 2 ** 16;

/** Detects the format of an audio file from its bytes and ignores its name and declared type. */
export function* detectAudio(): Reading<DetectedAudio> {
  const offset: number = yield* skipId3Tags();
  const head: Uint8Array = yield { offset, length: 1024 };
  if (head.length === 0) throw new ContainerError(offset === 0 ? 'an empty file' : 'tags without audio');
  const text = toLatin1(head);
  const is = ([, ...places]: Signature<string>) =>
    places.every(([at, ...marks]) => marks.some((mark) => text.startsWith(mark, at)));
  const format = audioSignatures.find(is)?.[0];
  if (format !== undefined) return { format, offset };
  const other = otherSignatures.find(is)?.[0];
  const demuxer = demuxers.get(other ?? '');
  if (demuxer !== undefined) throw new ForeignAudio(other!, demuxer);
  if (other !== undefined) throw new ContainerError(other);
  if (mp4Box.test(text.slice(4, 8))) return { format: 'mp4', offset };
  const before = offset + searchBytes;
  const mp3 = yield* findFrame(offset, { parse: toMpegHeader, before });
  const aac = yield* findFrame(offset, { parse: toAdtsHeader, before: mp3?.offset ?? before });
  if (aac !== undefined) return { format: 'aac', offset: aac.offset };
  if (mp3 !== undefined) return { format: 'mp3', offset: mp3.offset };
  throw new ContainerError(describe(head));
}

/** A format's name, and at each offset its alternative characters. */
type Signature<Name extends string> = readonly [Name, ...(readonly [offset: number, ...marks: string[]])[]];

const audioSignatures: readonly Signature<AudioFormat>[] = [
  ['wav', [0, 'RIFF', 'RIFX', 'RF64', 'BW64'], [8, 'WAVE']],
  ['aiff', [0, 'FORM'], [8, 'AIFF', 'AIFC']],
  ['flac', [0, 'fLaC']],
  ['ogg', [0, 'OggS']],
  ['webm', [0, '\x1a\x45\xdf\xa3']],
];

const otherSignatures: readonly Signature<string>[] = [
  ['a PNG image', [0, '\x89PNG\r\n\x1a\n']],
  ['a JPEG image', [0, '\xff\xd8\xff']],
  ['a GIF image', [0, 'GIF8']],
  ['a WebP image', [0, 'RIFF'], [8, 'WEBP']],
  ['an AVIF image', [4, 'ftypavi']],
  ['a HEIF image', [4, 'ftyphe', 'ftypmif1', 'ftypmsf1']],
  ['a raw photograph', [4, 'ftypcrx ']],
  ['a TIFF image', [0, 'II\x2a\0', 'MM\0\x2a']],
  ['a BMP image', [0, 'BM'], [6, '\0\0\0\0']],
  ['an AVI video', [0, 'RIFF'], [8, 'AVI ']],
  ['a RIFF file of another kind than WAV', [0, 'RIFF']],
  ['a Wave64 file', [0, 'riff\x2e\x91\xcf\x11']],
  ['a Core Audio file', [0, 'caff']],
  ['an AU file', [0, '.snd']],
  ['an AMR file', [0, '#!AMR']],
  ['a SILK file', [0, '#!SILK']],
  ['a SILK file', [1, '#!SILK']],
  ['a MIDI file', [0, 'MThd']],
  ['a Windows Media file', [0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11']],
  ['a Flash video', [0, 'FLV\x01']],
  ['a RealMedia file', [0, '.ra\xfd', '.RMF']],
  ["a Monkey's Audio file", [0, 'MAC ']],
  ['a WavPack file', [0, 'wvpk']],
  ['a Musepack file', [0, 'MPCK', 'MP+']],
  ['a True Audio file', [0, 'TTA1']],
  ['a DSD file', [0, 'DSD ']],
  ['AC-3 audio', [0, '\x0b\x77']],
  ['DTS audio', [0, '\x7f\xfe\x80\x01']],
  ['an MPEG program stream', [0, '\0\0\x01\xba']],
  ['an MPEG video', [0, '\0\0\x01\xb3']],
  ['an MPEG transport stream', [0, 'G'], [188, 'G'], [376, 'G']],
  ['an MPEG transport stream', [4, 'G'], [196, 'G'], [388, 'G']],
  ['a PDF', [0, '%PDF-']],
  ['a ZIP', [0, 'PK\x03\x04', 'PK\x05\x06']],
  ['a gzip file', [0, '\x1f\x8b']],
  ['a bzip2 file', [0, 'BZh']],
  ['an xz file', [0, '\xfd7zXZ\0']],
  ['a Zstandard file', [0, '\x28\xb5\x2f\xfd']],
  ['a 7z file', [0, '7z\xbc\xaf\x27\x1c']],
  ['a RAR file', [0, 'Rar!\x1a\x07']],
  ['a tar file', [257, 'ustar']],
  ['an ELF program', [0, '\x7fELF']],
  ['an SQLite database', [0, 'SQLite format 3\0']],
  ['a playlist', [0, '#EXTM3U']],
];

/** Formats that ffmpeg can decode, by ffmpeg's names. */
const demuxers: ReadonlyMap<string, string> = new Map([
  ['a Wave64 file', 'w64'],
  ['a Core Audio file', 'caf'],
  ['an AU file', 'au'],
  ['an AMR file', 'amr'],
  ['a Windows Media file', 'asf'],
  ["a Monkey's Audio file", 'ape'],
  ['a WavPack file', 'wv'],
  ['AC-3 audio', 'ac3'],
]);

/** Types of boxes that an MP4 or QuickTime file may begin with. */
const mp4Box = /^(?:ftyp|moov|mdat|wide|free|skip|pnot|moof|styp)$/;

function describe(head: Uint8Array): string {
  if (head.every((byte) => byte === 0)) return 'zeros';
  if (head.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13))) {
    const text = toLatin1(head);
    if (/^\s*(<!doctype html|<html)/i.test(text)) return 'an HTML page';
    if (/^\s*<[?a-z]/i.test(text)) return 'XML';
    return /^\s*[[{]\s*["{[\d\]}]/.test(text) ? 'JSON' : 'text';
  }
  return 'content of an unknown kind';
}

const maxTags = 16;

/**
 * The offset of the content after any ID3v2 tags.
 * @see https://id3.org/id3v2.4.0-structure
 */
function* skipId3Tags(): Reading<number> {
  let offset = 0;
  for (let tag = 0; tag < maxTags; tag++) {
    const header: Uint8Array = yield { offset, length: 10 };
    const length = id3TagLength(header);
    if (length === 0) break;
    offset += length;
  }
  return offset;
}

/** In bytes, header and footer included; 0 without a tag. */
function id3TagLength(header: Uint8Array): number {
  const [i, d, three, major, , flags, a, b, c, last] = header;
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || last === undefined) return 0;
  if (major === 0xff || ((a! | b! | c! | last) & 0x80) !== 0) return 0;
  const hasFooter = (flags! & 0x10) !== 0;
  return 10 + ((a! << 21) | (b! << 14) | (c! << 7) | last) + (hasFooter ? 10 : 0);
}
