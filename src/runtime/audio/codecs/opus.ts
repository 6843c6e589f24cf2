import { toOpusHead } from '../../../core/audio/containers/opus-head.ts';
import { ContainerError } from '../../../core/audio/containers/reading.ts';
import { type PacketDecoder, quietly } from './packet-decoder.ts';

const sampleRateHz = 48_000;
const maxChannels = 8;

/** Decodes Opus at 48 kHz, samples to be skipped included. */
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
  await decoder.ready;
  return {
    decode(packet) {
      const decoded = quietly(() => decoder.decodeFrame(packet));
      if (decoded === undefined) return undefined;
      if (gain !== 1) for (const channel of decoded.channelData) amplify(channel, gain);
      return { sampleRateHz, channels: decoded.channelData };
    },
    free: () => quietly(() => decoder.free()),
  };
}

function amplify(samples: Float32Array, gain: number): void {
  for (let i = 0; i < samples.length; i++) samples[i]! *= gain;
}
