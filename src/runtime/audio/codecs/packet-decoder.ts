import { fieldError } from '../../../errors.ts';
import type { PcmBlock } from '../pcm.ts';

export interface PacketDecoder {
  /** The facts that a packet adds; `undefined` where it adds none or is damaged. */
  decode(packet: Uint8Array): PcmBlock | undefined | Promise<PcmBlock | undefined>;
  /** Gives its memory back; never throws. */
  free(): void;
}

/** The part that the codecs of WebAssembly share. */
interface WasmCodec {
  readonly ready: Promise<unknown>;
  free(): unknown;
}

interface DecodedAudio {
  readonly sampleRate: number;
  readonly channelData: readonly Float32Array[];
}

/** Makes a decoder of a codec of WebAssembly, from which a damaged packet gets nothing. */
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

/** After so many complaints about one packet, a codec isn't believed to come to an end by itself. */
const maxComplaints = 64;

/** Runs a codec that writes to the console what it dislikes about a file, without letting it. */
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
