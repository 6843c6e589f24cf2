import { fieldError } from '../../../errors.ts';
import type { PcmBlock } from '../pcm.ts';

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
export async function wasmDecoder(
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

export function missingPackage(audio: string, name: string): (cause: unknown) => never {
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
