import { toOpusHead } from '../../../core/audio/containers/opus-head.ts';
import { ContainerError } from '../../../core/audio/containers/reading.ts';
import { type PacketDecoder, wasmDecoder } from './packet-decoder.ts';

const maxChannels = 8;

/** Decodes Opus at 48 kHz, including the samples to skip. */
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
  return wasmDecoder(decoder, (packet) => {
    const decoded = decoder.decodeFrame(packet);
    if (gain !== 1) for (const channel of decoded.channelData) amplify(channel, gain);
    return decoded;
  });
}

function amplify(samples: Float32Array, gain: number): void {
  for (let i = 0; i < samples.length; i++) samples[i]! *= gain;
}
