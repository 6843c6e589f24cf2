import { toFlacInfo } from '../../../core/audio/containers/flac.ts';
import { toVorbisHeaders } from '../../../core/audio/containers/vorbis-headers.ts';
import { createAacDecoder } from './aac.ts';
import { createFlacDecoder } from './flac.ts';
import { createMp3Decoder } from './mp3.ts';
import { createOpusDecoder } from './opus.ts';
import type { PacketDecoder } from './packet-decoder.ts';
import { createVorbisDecoder } from './vorbis.ts';

/** A codec as containers other than its own name it. */
export interface CodecParameters {
  readonly codec: 'opus' | 'vorbis' | 'flac' | 'mp3' | 'aac';
  /**
   * The configuration of the codec: the identification header of Opus, the headers of Vorbis in Xiph lacing, FLAC's
   * mark and STREAMINFO, an AudioSpecificConfig; nothing for MP3.
   */
  readonly description: Uint8Array;
  readonly channels: number;
  readonly sampleRateHz: number;
}

/** @returns `undefined` where there is no decoder on this machine */
export async function createDecoder({
  codec,
  description,
  channels,
  sampleRateHz,
}: CodecParameters): Promise<PacketDecoder | undefined> {
  switch (codec) {
    case 'opus':
      return createOpusDecoder(description);
    case 'vorbis':
      return createVorbisDecoder(toVorbisHeaders(description));
    case 'flac':
      return createFlacDecoder(toFlacInfo(description));
    case 'mp3':
      return createMp3Decoder();
    case 'aac':
      return createAacDecoder({ config: description, channels, sampleRateHz });
  }
}
