import { setImmediate } from 'node:timers/promises';
import { type AacConfig, hasPromisedChannels, toAacConfig } from '../../../core/audio/containers/aac.ts';
import type { PcmBlock } from '../pcm.ts';
import { loadWebCodecs, type WebCodecs } from './load-web-codecs.ts';
import type { DecoderParameters, PacketDecoder } from './wasm-decoders.ts';

/** AAC-LC, HE-AAC and HE-AAC v2. */
const objectTypes: ReadonlySet<number> = new Set([2, 5, 29]);

/** Decodes AAC-LC and HE-AAC with the optional package `node-webcodecs`. */
export async function createAacDecoder(parameters: DecoderParameters): Promise<PacketDecoder | undefined> {
  const config = toAacConfig(parameters.description);
  if (!objectTypes.has(config.objectType)) return undefined;
  const codecs = await loadWebCodecs();
  return codecs && createDecoder(codecs, parameters, config);
}

function createDecoder(
  { AudioDecoder, EncodedAudioChunk }: WebCodecs,
  { description, channels, sampleRateHz }: DecoderParameters,
  promised: AacConfig,
): PacketDecoder {
  let decoded: PcmBlock[] = [];
  let decodedChannels: number | undefined;
  const decoder = new AudioDecoder({
    output: (data) => {
      decodedChannels ??= data.numberOfChannels;
      if (data.numberOfChannels === decodedChannels) {
        const samples = new Float32Array(data.numberOfFrames * data.numberOfChannels);
        data.copyTo(samples, { planeIndex: 0, format: 'f32' });
        decoded.push({ sampleRateHz: data.sampleRate, channels: deinterleave(samples, decodedChannels) });
      }
      data.close();
    },
    error: () => {},
  });
  decoder.configure({
    codec: `mp4a.40.${promised.objectType}`,
    sampleRate: sampleRateHz,
    numberOfChannels: channels,
    description,
  });
  return {
    async decode(packet) {
      if (!hasPromisedChannels(packet, promised)) return undefined;
      decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: 0, data: packet }));
      // The decoder emits its output in the next turn of the event loop.
      await setImmediate();
      const [block] = decoded;
      decoded = [];
      return block;
    },
    free: () => decoder.close(),
  };
}

function deinterleave(interleaved: Float32Array, channels: number): Float32Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(interleaved.length / channels);
    for (let i = 0; i < samples.length; i++) samples[i] = interleaved[i * channels + channel]!;
    return samples;
  });
}
