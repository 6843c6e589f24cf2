import { toFlacInfo } from '../../../core/audio/containers/flac.ts';
import { toVorbisHeaders } from '../../../core/audio/containers/vorbis-headers.ts';
import { createAacDecoder } from './aac.ts';
import {
  type DecoderParameters,
  type PacketDecoder,
  createMp3Decoder,
  createFlacDecoder,
  createVorbisDecoder,
  createOpusDecoder,
} from './wasm-decoders.ts';

/** A codec as described by foreign containers. */
export interface CodecParameters extends DecoderParameters {
  readonly codec: 'opus' | 'vorbis' | 'flac' | 'mp3' | 'aac';
}

type CreateDecoder = (parameters: CodecParameters) => Promise<PacketDecoder | undefined>;

const decoders: Readonly<Record<CodecParameters['codec'], CreateDecoder>> = {
  opus: async ({ description }) => createOpusDecoder(description),
  vorbis: async ({ description }) => createVorbisDecoder(toVorbisHeaders(description)),
  flac: async ({ description }) => createFlacDecoder(toFlacInfo(description)),
  mp3: createMp3Decoder,
  aac: createAacDecoder,
};

/** @returns `undefined` without a decoder on this machine */
export const createDecoder: CreateDecoder = (parameters) => decoders[parameters.codec](parameters);
