import { toFlacInfo } from '../../../core/audio/containers/flac.ts';
import { toVorbisHeaders } from '../../../core/audio/containers/vorbis-headers.ts';
import { createAacDecoder } from './aac.ts';
import { createFlacDecoder } from './flac.ts';
import { createMp3Decoder } from './mp3.ts';
import { createOpusDecoder } from './opus.ts';
import type { PacketDecoder } from './packet-decoder.ts';
import { createVorbisDecoder } from './vorbis.ts';

/** A codec as described by foreign containers. */
export interface CodecParameters {
  readonly codec: 'opus' | 'vorbis' | 'flac' | 'mp3' | 'aac';
  /**
   * The codec's configuration: the identification header of Opus, the headers of Vorbis in Xiph lacing, FLAC's marker
   * and STREAMINFO, an AudioSpecificConfig; empty for MP3.
   */
  readonly description: Uint8Array;
  readonly channels: number;
  readonly sampleRateHz: number;
}

type CreateDecoder = (parameters: CodecParameters) => Promise<PacketDecoder | undefined>;

const decoders: Readonly<Record<CodecParameters['codec'], CreateDecoder>> = {
  opus: async ({ description }) => createOpusDecoder(description),
  vorbis: async ({ description }) => createVorbisDecoder(toVorbisHeaders(description)),
  flac: async ({ description }) => createFlacDecoder(toFlacInfo(description)),
  mp3: createMp3Decoder,
  aac: ({ description: config, ...facts }) => createAacDecoder({ config, ...facts }),
};

/** @returns `undefined` without a decoder on this machine */
export const createDecoder: CreateDecoder = (parameters) => decoders[parameters.codec](parameters);
