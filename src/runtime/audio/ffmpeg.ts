import type { ChildProcess } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performOn } from '../../core/audio/containers/reading.ts';
import type { SampleLayout } from '../../core/audio/containers/sample-layout.ts';
import { readWavLayout } from '../../core/audio/containers/wav.ts';
import { assertWanted, fieldError, InferenceError } from '../../errors.ts';
import { startProgram } from '../start-program.ts';
import type { ByteSource } from './byte-source.ts';
import type { PcmBlock, TrackOptions } from './pcm.ts';

export interface FfmpegOptions extends Pick<TrackOptions, 'ffmpegPath' | 'maxSeconds' | 'signal'> {
  /** The only allowed format of the file, by ffmpeg's name. */
  readonly demuxer: string;
  /** Name of the file's format for messages: `AAC audio in an MP4 file`. */
  readonly name: string;
}

/** An ffmpeg without output for this long counts as stuck. */
const maxSilenceMs = 60_000;
const pieceBytes = 2 ** 16;
/** More than the header that ffmpeg writes, and less than the header with the first samples. */
const wavHeaderBytes = 128;

/** Decodes the first audio stream of a file with the ffmpeg program, as a child process. */
export async function* decodeWithFfmpeg(
  source: ByteSource,
  options: FfmpegOptions,
): AsyncGenerator<PcmBlock> {
  const { ffmpegPath = 'ffmpeg', demuxer, maxSeconds, signal } = options;
  const file = await toFile(source);
  const call = `-nostdin -loglevel quiet -threads 1 -protocol_whitelist file,pipe -f ${demuxer} -i`;
  const output = `-map 0:a:0 -t ${maxSeconds + 1} -c:a pcm_f32le -bitexact -f wav -`;
  let child: ChildProcess | undefined;
  const kill = () => void child?.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  try {
    child = await startProgram(ffmpegPath, [...call.split(' '), `file:${file.path}`, ...output.split(' ')], {
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    }).catch((error: unknown) => {
      throw InferenceError.from(error).code === 'overloaded' ? error : missingDecoder(options);
    });
    assertWanted(signal);
    yield* toBlocks(watch(child.stdout!, kill));
    assertWanted(signal);
  } finally {
    signal?.removeEventListener('abort', kill);
    kill();
    await file.remove();
  }
}

/** Calls `onStuck` if no output arrives; the reader's own time doesn't count. */
async function* watch(output: AsyncIterable<Buffer>, onStuck: () => void): AsyncGenerator<Buffer> {
  let timer = setTimeout(onStuck, maxSilenceMs);
  try {
    for await (const chunk of output) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(onStuck, maxSilenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* toBlocks(wav: AsyncIterable<Buffer>): AsyncGenerator<PcmBlock> {
  let layout: SampleLayout | undefined;
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of wav) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (layout === undefined) {
      if (pending.length < wavHeaderBytes) continue;
      layout = performOn(pending, readWavLayout());
      pending = pending.subarray(layout.dataOffset);
    }
    const whole = pending.length - (pending.length % layout.blockBytes);
    yield { sampleRateHz: layout.sampleRateHz, channels: layout.decode(pending.subarray(0, whole)) };
    pending = pending.subarray(whole);
  }
}

/** The file of a source, or a copy of its bytes in a temporary folder. */
async function toFile(source: ByteSource) {
  if (source.path !== undefined) return { path: resolve(source.path), remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'audio-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'audio');
    const file = await open(path, 'wx', 0o600);
    try {
      for (let offset = 0; offset < source.size; offset += pieceBytes)
        await file.write(await source.read(offset, pieceBytes));
    } finally {
      await file.close();
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function missingDecoder({ name, ffmpegPath = 'ffmpeg' }: FfmpegOptions): InferenceError {
  const remedy = name.startsWith('AAC')
    ? 'the optional package node-webcodecs or an ffmpeg program'
    : 'an ffmpeg program';
  const reason = `${name} needs ${remedy} to be decoded, which this service lacks; send another format, such as by ffmpeg -i FILE FILE.wav`;
  return fieldError('file', reason, { cause: new Error(`${ffmpegPath} can't be started`) });
}
