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

/**
 * The headers of Vorbis as WebM files have them for private data: three packets in Xiph lacing.
 * @see https://www.matroska.org/technical/codec_specs.html
 */
export function toVorbisHeaders(laced: Uint8Array): VorbisHeaders {
  let at = 1;
  const nextLength = (): number => {
    let length = 0;
    for (;;) {
      const byte = laced[at++] ?? 0;
      length += byte;
      if (byte < 255) return length;
    }
  };
  const lengths = [nextLength(), nextLength()] as const;
  const identification = laced.slice(at, at + lengths[0]);
  const setup = laced.slice(at + lengths[0] + lengths[1]);
  if (laced[0] !== 2 || !isVorbisHeader(identification, 1) || !isVorbisHeader(setup, 5))
    throw new ContainerError('Vorbis audio with damaged headers');
  return { identification, setup };
}
