import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { SpeechFormat } from '../../core/audio/speech-formats.ts';
import { InferenceError } from '../../errors.ts';
import { startProgram } from '../start-program.ts';
import { encoderOf, type AudioEncoder } from './contract.ts';
import { toPcmBytes } from './pcm.ts';

interface FfmpegFormat {
  readonly codec: string;
  readonly container: string;
  readonly options: readonly string[];
}

/** The formats that FFmpeg can add, at bit rates that are transparent for speech. */
export const ffmpegFormats: Readonly<Partial<Record<SpeechFormat, FfmpegFormat>>> = {
  mp3: { codec: 'libmp3lame', container: 'mp3', options: ['-b:a', '96k'] },
  opus: {
    codec: 'libopus',
    container: 'ogg',
    // A page per 200 ms; by default there would be no output for seconds.
    options: ['-b:a', '48k', '-application', 'voip', '-page_duration', '200000'],
  },
  flac: { codec: 'flac', container: 'flac', options: ['-sample_fmt', 's16'] },
  aac: { codec: 'aac', container: 'adts', options: ['-b:a', '96k'] },
};

const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin'];
const maxMessageLength = 2000;

export async function listFfmpegFormats(path: string): Promise<readonly SpeechFormat[]> {
  let listing = '';
  try {
    const child = await startProgram(path, [...quiet, '-encoders'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const exit = ended(child);
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (listing += text));
    await exit;
  } catch (error) {
    if (InferenceError.from(error).code === 'overloaded') throw error;
    return [];
  }
  // A line is flags, name, description: ` A....D libmp3lame           libmp3lame MP3 …`.
  const codecs = new Set(Array.from(listing.matchAll(/^ A\S* (\S+)/gm), ([, name]) => name!));
  return Object.entries(ffmpegFormats)
    .filter(([, { codec }]) => codecs.has(codec))
    .map(([format]) => format as SpeechFormat);
}

/** Creates an encoder that runs FFmpeg as a separate process for each recording. */
export function createFfmpegEncoder(path: string, format: SpeechFormat): AudioEncoder {
  const wanted = ffmpegFormats[format];
  if (!wanted) throw new RangeError(`format: expected one that FFmpeg writes, got ${format}`);
  const { codec, container, options } = wanted;
  return encoderOf(format, async function* (pieces, { sampleRateHz, signal }) {
    const input = ['-f', 's16le', '-ar', String(sampleRateHz), '-ac', '1', '-i', 'pipe:0'];
    const output = ['-c:a', codec, ...options, '-flush_packets', '1', '-f', container, 'pipe:1'];
    const child = await startProgram(path, [...quiet, ...input, ...output], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stop = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', stop);
    // The signal may have aborted while the program was starting.
    if (signal?.aborted) stop();
    const exit = ended(child);
    const fed = feed(child.stdin!, pieces).catch((error: unknown) => {
      stop();
      throw error;
    });
    // Both are awaited below, and may reject earlier.
    exit.catch(() => undefined);
    fed.catch(() => undefined);
    try {
      for await (const bytes of child.stdout!) yield new Uint8Array(bytes as Buffer);
      await fed;
      await exit;
    } catch (error) {
      if (signal?.aborted)
        throw new InferenceError('cancelled', 'The request was cancelled.', { cause: error });
      throw error;
    } finally {
      stop();
      signal?.removeEventListener('abort', stop);
      await Promise.allSettled([fed, exit]);
    }
  });
}

/** Writes the pieces at the program's pace; if it exits early, its exit provides the reason. */
async function feed(stdin: Writable, pieces: AsyncIterable<Float32Array>): Promise<void> {
  stdin.on('error', () => undefined);
  for await (const samples of pieces) {
    await new Promise<void>((resolve) => stdin.write(toPcmBytes(samples), () => resolve()));
    if (stdin.destroyed) return;
  }
  stdin.end();
}

/** @throws Error with the program's error output, unless it succeeds */
async function ended(child: ChildProcess): Promise<void> {
  let message = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (message.length < maxMessageLength) message += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${message.trim()}`);
}
