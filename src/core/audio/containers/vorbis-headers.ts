import { ContainerError, toLatin1 } from './reading.ts';

/** The header packets that a decoder needs; the comment header is dropped. */
export interface VorbisHeaders {
  readonly identification: Uint8Array;
  readonly setup: Uint8Array;
}

/** Whether a Vorbis packet is a header: 1 identification, 3 comments, 5 setup. */
export function isVorbisHeader(packet: Uint8Array, kind: 1 | 3 | 5): boolean {
  return packet[0] === kind && toLatin1(packet.subarray(1, 7)) === 'vorbis';
}

const nothing = new Uint8Array();

/** Packets in Xiph lacing: the packet count minus one, the lengths of all packets except the last, then the packets. */
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
 * Vorbis headers from the private data of WebM files: three packets in Xiph lacing.
 * @see https://www.matroska.org/technical/codec_specs.html
 */
export function toVorbisHeaders(laced: Uint8Array): VorbisHeaders {
  const [identification = nothing, , setup = nothing] = unlaceXiph(laced);
  if (laced[0] !== 2 || !isVorbisHeader(identification, 1) || !isVorbisHeader(setup, 5))
    throw new ContainerError('Vorbis audio with damaged headers');
  return { identification: identification.slice(), setup: setup.slice() };
}
