import { createBlockCutter } from '../../core/audio/block-cutter.ts';
import { writeAdtsHeader } from '../../core/audio/containers/adts.ts';
import { writeFlacHead, type FlacHead } from '../../core/audio/containers/flac.ts';
import { writeGaplessHead } from '../../core/audio/containers/gapless.ts';
import { createResampler } from '../../core/audio/resample.ts';
import { yieldToEventLoop } from '../audio/yield-to-event-loop.ts';
import { loadWebCodecs, type WebCodecs } from '../audio/codecs/load-web-codecs.ts';
import type { SpeechFormat } from '../../core/audio/speech-formats.ts';
import { encoderOf, type AudioEncoder, type EncodeOptions } from './contract.ts';
import { toPcm } from './pcm.ts';

interface Codec {
  readonly name: string;
  /** Samples per frame: the encoder drops an incomplete frame. */
  readonly frameLength: (rateHz: number) => number;
  /** The bytes before the first packet of a file. */
  readonly head?: (packet: Uint8Array, about: FlacHead) => Uint8Array;
  readonly header?: (packet: Uint8Array, rateHz: number) => Uint8Array;
  /** Converts samples to the encoder's input; default: unchanged. */
  readonly toInput?: (samples: Float32Array) => Float32Array;
}

const bitsPerSecond = 96_000;
const ratesOfMpeg1 = [32_000, 44_100, 48_000];
const ratesHz = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, ...ratesOfMpeg1];

const codecs: Readonly<Partial<Record<SpeechFormat, Codec>>> = {
  mp3: {
    name: 'mp3',
    frameLength: (rateHz) => (ratesOfMpeg1.includes(rateHz) ? 1152 : 576),
    head: writeGaplessHead,
  },
  aac: { name: 'mp4a.40.2', frameLength: () => 1024, header: writeAdtsHeader },
  flac: {
    name: 'flac',
    // FFmpeg's choice: 576 samples, doubled while that stays below 105 ms.
    frameLength: (rateHz) => 576 * 2 ** Math.floor(Math.log2((rateHz * 0.105) / 576)),
    head: (_packet, about) => writeFlacHead(about),
    // Multiples of 2⁻¹⁵, to avoid a second rounding.
    toInput: (samples) => Float32Array.from(toPcm(samples), (value) => value / 2 ** 15),
  },
};

export const webCodecsFormats = Object.keys(codecs) as readonly SpeechFormat[];

/** LAME aborts the process for a sample that isn't finite. */
function toFullScale(samples: Float32Array): Float32Array {
  return samples.map((sample) => Math.max(-1, Math.min(1, sample)) || 0);
}

export async function loadWebCodecsEncoder(format: SpeechFormat): Promise<AudioEncoder | undefined> {
  const library = await loadWebCodecs();
  const codec = codecs[format];
  if (!library || !codec) return undefined;
  return encoderOf(format, (pieces, options) => encode(library, codec, pieces, options));
}

async function* encode(
  { AudioEncoder: Encoder, AudioData }: WebCodecs,
  { name, frameLength, head, header, toInput = toFullScale }: Codec,
  pieces: AsyncIterable<Float32Array>,
  { sampleRateHz, isWhole, signal }: EncodeOptions,
): AsyncGenerator<Uint8Array> {
  const rateHz = ratesHz.find((rate) => rate >= sampleRateHz) ?? ratesHz.at(-1)!;
  const blockLength = frameLength(rateHz);
  const cutter = createBlockCutter(blockLength);
  const resampler = createResampler({ fromHz: sampleRateHz, toHz: rateHz });
  let packets: Uint8Array[] = [];
  let fault: Error | undefined;
  let samples: number | undefined;
  let isFirst = true;
  const encoder = new Encoder({
    output(chunk) {
      const packet = new Uint8Array(chunk.byteLength);
      chunk.copyTo(packet);
      if (packet.length === 0) return;
      if (isFirst && head) packets.push(head(packet, { sampleRateHz: rateHz, blockLength, samples }));
      if (header) packets.push(header(packet, rateHz));
      packets.push(packet);
      isFirst = false;
    },
    error: (error) => (fault ??= error),
  });
  let encoded = 0;
  const push = (block: Float32Array): void => {
    if (block.length === 0) return;
    const data = new AudioData({
      format: 'f32-planar',
      sampleRate: rateHz,
      numberOfFrames: block.length,
      numberOfChannels: 1,
      timestamp: Math.round((encoded / rateHz) * 1e6),
      data: toInput(block),
    });
    encoder.encode(data);
    data.close();
    encoded += block.length;
  };
  const take = (): Uint8Array[] => {
    if (fault) throw fault;
    const taken = packets;
    packets = [];
    return taken;
  };
  try {
    encoder.configure({ codec: name, sampleRate: rateHz, numberOfChannels: 1, bitrate: bitsPerSecond });
    for await (const piece of pieces) {
      if (isWhole && rateHz === sampleRateHz) samples ??= piece.length;
      for (const block of cutter.push(resampler.push(piece))) {
        push(block);
        // The encoder emits its output in the next turn of the event loop.
        await yieldToEventLoop(signal);
        yield* take();
      }
    }
    for (const block of cutter.push(resampler.flush())) push(block);
    push(cutter.rest());
    await encoder.flush();
    yield* take();
  } finally {
    encoder.close();
  }
}
