import { fieldError } from '../../../errors.ts';
import type { PcmBlock } from '../pcm.ts';
import type { FlacInfo } from '../../../core/audio/containers/flac.ts';
import type { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import type { VorbisHeaders } from '../../../core/audio/containers/vorbis-headers.ts';
import { toOpusHead } from '../../../core/audio/containers/opus-head.ts';
import { ContainerError } from '../../../core/audio/containers/reading.ts';

export interface DecoderParameters {
  /**
   * The codec's configuration: the identification header of Opus, the headers of Vorbis in Xiph lacing, FLAC's marker
   * and STREAMINFO, an AudioSpecificConfig; empty for MP3.
   */
  readonly description: Uint8Array;
  readonly channels: number;
  readonly sampleRateHz: number;
}

export interface PacketDecoder {
  /** The samples of a packet; `undefined` if it adds none or is damaged. */
  decode(packet: Uint8Array): PcmBlock | undefined | Promise<PcmBlock | undefined>;
  /** Frees its memory; never throws. */
  free(): void;
}

interface WasmCodec {
  readonly ready: Promise<unknown>;
  free(): unknown;
}

interface DecodedAudio {
  readonly sampleRate: number;
  readonly channelData: readonly Float32Array[];
}

/** Creates a decoder from a WebAssembly codec; a damaged packet yields `undefined`. */
async function wasmDecoder(
  codec: WasmCodec,
  decode: (packet: Uint8Array) => DecodedAudio | Promise<DecodedAudio>,
): Promise<PacketDecoder> {
  await codec.ready;
  const toBlock = ({ sampleRate, channelData }: DecodedAudio): PcmBlock => ({
    sampleRateHz: sampleRate,
    channels: channelData,
  });
  return {
    decode(packet) {
      const decoded = quietly(() => decode(packet));
      return decoded instanceof Promise
        ? decoded.then(toBlock, () => undefined)
        : decoded && toBlock(decoded);
    },
    free: () => void quietly(() => codec.free()),
  };
}

function missingPackage(audio: string, name: string): (cause: unknown) => never {
  return (cause) => {
    const reason = `${audio} needs the optional package ${name} to be decoded, which this service lacks`;
    throw fieldError('file', `${reason}; send another format`, { cause });
  };
}

/** After this many log messages for one packet, the codec is assumed to loop. */
const maxComplaints = 64;

/** Runs a codec that logs file errors to the console, and suppresses them. */
function quietly<T>(run: () => T): T | undefined {
  const { error } = console;
  let complaints = 0;
  console.error = () => {
    if (++complaints > maxComplaints) throw new RangeError('The codec never finishes.');
  };
  try {
    return run();
  } catch {
    return undefined;
  } finally {
    console.error = error;
  }
}

/** Decodes MPEG audio, layers I to III, frame by frame. */
export async function createMp3Decoder(): Promise<PacketDecoder> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder({ enableGapless: false });
  return wasmDecoder(decoder, (packet) => decoder.decodeFrame(packet));
}

export async function createFlacDecoder({ header }: FlacInfo): Promise<PacketDecoder> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac').catch(
    missingPackage('FLAC audio', '@wasm-audio-decoders/flac'),
  );
  const codec = new FLACDecoder();
  const decoder = await wasmDecoder(codec, (packet) => codec.decodeFrames([packet]));
  // Frames may omit the constants that the header defines.
  await decoder.decode(header);
  return decoder;
}

type OggPages = Parameters<OggVorbisDecoder['decodeOggPages']>[0];

export async function createVorbisDecoder({ identification, setup }: VorbisHeaders): Promise<PacketDecoder> {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis').catch(
    missingPackage('Vorbis audio', '@wasm-audio-decoders/ogg-vorbis'),
  );
  const decoder = new OggVorbisDecoder();
  // The decoder takes parsed pages; here each has one packet.
  const toPages = (packet: Uint8Array) =>
    [
      { data: identification, codecFrames: [{ data: packet, header: { vorbisSetup: setup } }] },
    ] as unknown as OggPages;
  return wasmDecoder(decoder, (packet) => decoder.decodeOggPages(toPages(packet)));
}

const maxChannels = 8;

/** Decodes Opus at 48 kHz, including the samples to skip. */
export async function createOpusDecoder(head: Uint8Array): Promise<PacketDecoder> {
  const { channels, streams, coupledStreams, mapping, gain } = toOpusHead(head);
  if (channels > maxChannels) throw new ContainerError(`Opus audio of ${channels} channels`);
  const { OpusDecoder } = await import('opus-decoder');
  const decoder = new OpusDecoder({
    channels,
    streamCount: streams,
    coupledStreamCount: coupledStreams,
    channelMappingTable: [...mapping],
  });
  return wasmDecoder(decoder, (packet) => {
    const decoded = decoder.decodeFrame(packet);
    if (gain !== 1) for (const channel of decoded.channelData) amplify(channel, gain);
    return decoded;
  });
}

function amplify(samples: Float32Array, gain: number): void {
  for (let i = 0; i < samples.length; i++) samples[i]! *= gain;
}
