import { ContainerError, toLatin1 } from './reading.ts';

/** The packets that a Vorbis stream begins with; the comments between them don't matter to a decoder. */
export interface VorbisHeaders {
  readonly identification: Uint8Array;
  readonly setup: Uint8Array;
}

/** Whether a packet of a Vorbis stream is a header: 1 the identification, 3 the comments, 5 the setup. */
export function isVorbisHeader(packet: Uint8Array, kind: 1 | 3 | 5): boolean {
  return packet[0] === kind && toLatin1(packet.subarray(1, 7)) === 'vorbis';
}

const nothing = new Uint8Array();

/** Packets in Xiph lacing: how many they are, less one, the lengths of all but the last, and the packets. */
export function unlaceXiph(laced: Uint8Array): Uint8Array[] {
  const lengths: number[] = [];
  let at = 1;
  while (lengths.length < (laced[0] ?? 0)) {
    let length = 0;
    let byte;
    do length += byte = laced[at++] ?? 0;
    while (byte === 255);
    lengths.push(length);
  }
  const packets = lengths.map((length) => laced.subarray(at, (at += length)));
  return [...packets, laced.subarray(at)];
}

/**
 * The headers of Vorbis as WebM files have them for private data: three packets in Xiph lacing.
 * @see https://www.matroska.org/technical/codec_specs.html
 */
export function toVorbisHeaders(laced: Uint8Array): VorbisHeaders {
  const [identification = nothing, , setup = nothing] = unlaceXiph(laced);
  if (laced[0] !== 2 || !isVorbisHeader(identification, 1) || !isVorbisHeader(setup, 5))
    throw new ContainerError('Vorbis audio with damaged headers');
  return { identification: identification.slice(), setup: setup.slice() };
}
