import { createBlockCutter } from '../../core/audio/block-cutter.ts';
import { writeOpusHead, writeOpusTags } from '../../core/audio/containers/opus-head.ts';
import { writeOggPage } from '../../core/audio/containers/ogg-stream.ts';
import { createResampler } from '../../core/audio/resample.ts';
import { yieldToEventLoop } from '../audio/yield-to-event-loop.ts';
import { encoderOf, type AudioEncoder, type EncodeOptions } from './contract.ts';
import { toPcmBytes } from './pcm.ts';

interface OpusPackage {
  readonly Encoder: new (options: {
    readonly channels: number;
    readonly sample_rate: number;
    readonly application: 'voip';
  }) => OpusEncoder;
}

interface OpusEncoder {
  /** @param pcm 16-bit samples of one frame, in the machine's byte order */
  encode(pcm: Uint8Array): Uint8Array;
  ctl(request: number, value?: number): number;
  drop(): void;
}

const setBitrate = 4002;
const getLookahead = 4027;
const bitsPerSecond = 48_000;
const clockHz = 48_000;
const framesPerSecond = 50;
/** A page per 200 ms, so that playback can start during generation. */
const framesOfPage = 10;
const encodedRates = [8_000, 12_000, 16_000, 24_000, 48_000];

/** Loads an encoder of Opus in Ogg from the optional package `@evan/opus`. */
export async function loadOpusEncoder(): Promise<AudioEncoder | undefined> {
  try {
    const { default: opus } = (await import('@evan/opus/wasm/index.js')) as { readonly default: OpusPackage };
    return encoderOf('opus', (pieces, options) => encode(opus, pieces, options));
  } catch {
    return undefined;
  }
}

async function* encode(
  { Encoder }: OpusPackage,
  pieces: AsyncIterable<Float32Array>,
  { sampleRateHz, signal }: EncodeOptions,
): AsyncGenerator<Uint8Array> {
  const rateHz = encodedRates.find((rate) => rate >= sampleRateHz) ?? clockHz;
  const encoder = new Encoder({ channels: 1, sample_rate: rateHz, application: 'voip' });
  try {
    encoder.ctl(setBitrate, bitsPerSecond);
    const ticks = clockHz / rateHz;
    const preSkip = encoder.ctl(getLookahead) * ticks;
    const serial = 1;
    yield writeOggPage([writeOpusHead({ preSkip, sampleRateHz })], {
      serial,
      sequence: 0,
      position: 0,
      isFirst: true,
    });
    yield writeOggPage([writeOpusTags('slashv1')], { serial, sequence: 1, position: 0 });
    let sequence = 2;
    let position = 0;
    let packets: Uint8Array[] = [];
    const page = (isLast: boolean, end: number): Uint8Array => {
      const bytes = writeOggPage(packets, { serial, sequence, position: end, isLast });
      packets = [];
      sequence += 1;
      return bytes;
    };
    const source = framed(pieces, { sampleRateHz, rateHz, padding: preSkip / ticks });
    for (;;) {
      const { done, value } = await source.next();
      if (done === true) {
        // The end of the audio, which is before the end of the last frame.
        yield page(true, preSkip + value * ticks);
        return;
      }
      // The last page needs at least one packet.
      if (packets.length === framesOfPage) {
        yield page(false, position);
        await yieldToEventLoop(signal);
      }
      packets.push(encoder.encode(toPcmBytes(value)));
      position += clockHz / framesPerSecond;
    }
  } finally {
    encoder.drop();
  }
}

interface Framing {
  readonly sampleRateHz: number;
  readonly rateHz: number;
  /** Samples of silence after the audio. */
  readonly padding: number;
}

/** Splits audio into frames of 20 ms and pads the last one. @returns the number of samples */
async function* framed(
  pieces: AsyncIterable<Float32Array>,
  { sampleRateHz, rateHz, padding }: Framing,
): AsyncGenerator<Float32Array, number> {
  const frameLength = rateHz / framesPerSecond;
  const cutter = createBlockCutter(frameLength);
  const resampler = createResampler({ fromHz: sampleRateHz, toHz: rateHz });
  let length = 0;
  for await (const piece of pieces) {
    const samples = resampler.push(piece);
    length += samples.length;
    yield* cutter.push(samples);
  }
  const rest = resampler.flush();
  length += rest.length;
  yield* cutter.push(rest);
  yield* cutter.push(new Float32Array(padding));
  const last = cutter.rest();
  if (last.length > 0) yield* cutter.push(new Float32Array(frameLength - last.length));
  return length;
}
