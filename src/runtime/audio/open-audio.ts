import { type AudioFormat, audioFormats, detectAudio } from '../../core/audio/containers/detect.ts';
import { readAiffLayout } from '../../core/audio/containers/aiff.ts';
import { ContainerError, ForeignAudio, type Reading } from '../../core/audio/containers/reading.ts';
import { readWavLayout } from '../../core/audio/containers/wav.ts';
import { fieldError, InferenceError } from '../../errors.ts';
import { type AudioSource, type ByteSource, openByteSource } from './byte-source.ts';
import { openAdts, openFlac, openMp3 } from './frames.ts';
import { openMp4 } from './mp4.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import { openOgg } from './ogg.ts';
import type { PcmBlock, PcmTrack, TrackOptions } from './pcm.ts';
import { toMono, tooLong } from './to-mono.ts';
import { openWebm } from './webm.ts';
import type { SampleLayout } from '../../core/audio/containers/sample-layout.ts';

const pieceBytes = 2 ** 16;

/** Opens a file of uncompressed samples, WAV or AIFF; a truncated file ends with its last whole sample. */
async function openSamples(bytes: ByteSource, reading: Reading<SampleLayout>): Promise<PcmTrack> {
  const layout = await bytes.perform(reading);
  const { dataOffset, dataLength, blockBytes, blockFrames, sampleRateHz } = layout;
  const end = Math.min(bytes.size, dataOffset + dataLength);
  const blocks = Math.max(0, Math.floor((end - dataOffset) / blockBytes));
  return { durationSeconds: (blocks * blockFrames) / sampleRateHz, blocks: decode(bytes, layout, end) };
}

async function* decode(bytes: ByteSource, layout: SampleLayout, end: number): AsyncGenerator<PcmBlock> {
  const { dataOffset, blockBytes, sampleRateHz } = layout;
  const step = Math.ceil(pieceBytes / blockBytes) * blockBytes;
  for (let at = dataOffset; at < end; at += step) {
    const channels = layout.decode(await bytes.read(at, Math.min(step, end - at)));
    if (channels[0]!.length > 0) yield { sampleRateHz, channels };
  }
}

/** Splits blocks into one reader per channel; blocks are read once, and queued for the remaining readers. */
export function splitChannels(
  blocks: AsyncIterator<PcmBlock, unknown>,
  count: number,
): AsyncGenerator<PcmBlock>[] {
  const queues = Array.from({ length: count }, (): PcmBlock[] => []);
  return queues.map(async function* (queue) {
    for (;;) {
      while (queue.length > 0) yield queue.shift()!;
      const { done, value } = await blocks.next();
      if (done === true) break;
      for (const [at, other] of queues.entries())
        other.push({ ...value, channels: [value.channels[Math.min(at, value.channels.length - 1)]!] });
    }
    // A different reader may have received the last block while this one waited.
    yield* queue;
  });
}

const sampleRateHz = 16_000;
/** Maximum channels to process separately. */
const maxSeparate = 8;

/**
 * Opens an audio file for decoding, by its content: see `audioFormats`; further formats need ffmpeg. It is read and
 * decoded piece by piece as `blocks` is consumed, in bounded memory for any length.
 */
export async function openAudio(source: AudioSource, options: TrackOptions) {
  const bytes = await openByteSource(source, options.signal);
  let format: AudioFormat | undefined;
  let decoded: AsyncIterator<PcmBlock> | undefined;
  let streams: readonly AsyncGenerator<Float32Array>[] = [];
  /** Frees the decoder and closes the file; may be called at any time. */
  const close = async (): Promise<void> => {
    try {
      for (const stream of streams) await stream.return(undefined);
      await decoded?.return?.();
    } finally {
      await bytes.close();
    }
  };
  const openKnown = async (): Promise<PcmTrack> => {
    const detected = await bytes.perform(detectAudio());
    format = detected.format;
    return openTrack[detected.format](bytes, detected.offset, options);
  };
  try {
    const track = await openKnown().catch((error: unknown) => openForeign(bytes, error, options));
    const claimedSeconds = track.durationSeconds ?? 0;
    if (claimedSeconds > options.maxSeconds && claimedSeconds < Infinity) throw tooLong(options.maxSeconds);
    decoded = track.blocks[Symbol.asyncIterator]();
    const head = await decoded.next();
    const channels = head.done === true ? 1 : head.value.channels.length;
    if (options.separate === true && channels > maxSeparate)
      throw fieldError('multichannel', `expected at most ${maxSeparate} channels, got ${channels}`);
    const all = readOn(head, decoded);
    streams = (options.separate === true ? splitChannels(all, channels) : [all]).map((blocks) =>
      toMono(blocks, { ...options, sampleRateHz }),
    );
    // Rejects undecodable audio early.
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    // The end of one channel doesn't end the rest.
    const atEnd = streams.length === 1 ? close : undefined;
    const guarded = firsts.map((first, at) => guard(readOn(first, streams[at]!), format, atEnd));
    return {
      /** `undefined` for a format that ffmpeg decodes. */
      format,
      sampleRateHz,
      channels,
      /**
       * Mono, about −1 to 1, in blocks of one second, the last one shorter. Can be read once; stopping early closes the
       * stream. Throws `InferenceError`s: `invalid_request` if the audio is damaged or too long, `cancelled`.
       */
      blocks: guarded[0]!,
      /** The blocks of each channel if they are separate; else only of their mean. */
      streams: guarded,
      close,
    };
  } catch (error) {
    await close();
    throw toInvalid(error, format);
  }
}

/** @throws the error if ffmpeg doesn't support the format either */
function openForeign(bytes: ByteSource, error: unknown, options: TrackOptions): PcmTrack {
  if (!(error instanceof ForeignAudio)) throw error;
  const { demuxer, message: name } = error;
  return { blocks: decodeWithFfmpeg(bytes, { ...options, demuxer, name }) };
}

type OpenTrack = (bytes: ByteSource, offset: number, options: TrackOptions) => Promise<PcmTrack>;

const openTrack: Readonly<Record<AudioFormat, OpenTrack>> = {
  wav: (bytes, offset) => openSamples(bytes, readWavLayout(offset)),
  aiff: (bytes, offset) => openSamples(bytes, readAiffLayout(offset)),
  mp3: openMp3,
  flac: openFlac,
  ogg: openOgg,
  webm: openWebm,
  mp4: (bytes, _offset, options) => openMp4(bytes, options),
  aac: openAdts,
};

async function* readOn<T>(
  first: IteratorResult<T, unknown>,
  rest: AsyncIterator<T, unknown>,
): AsyncGenerator<T> {
  for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
}

async function* guard(
  blocks: AsyncIterable<Float32Array>,
  format: AudioFormat | undefined,
  atEnd: (() => Promise<void>) | undefined,
): AsyncGenerator<Float32Array> {
  try {
    yield* blocks;
  } catch (error) {
    throw toInvalid(error, format);
  } finally {
    await atEnd?.();
  }
}

/** Errors of a parser or a codec are the file's fault, except exhausted system resources. */
function toInvalid(error: unknown, format: AudioFormat | undefined): InferenceError {
  const known = InferenceError.from(error);
  if (known.code !== 'internal') return known;
  const reason =
    error instanceof ContainerError
      ? `expected audio (${audioFormats.join(', ')}), got ${error.message}`
      : `the ${format ?? 'beginning of the'} audio is damaged`;
  return fieldError('file', reason, { cause: error });
}
