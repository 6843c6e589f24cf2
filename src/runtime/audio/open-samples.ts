import type { Reading } from '../../core/audio/containers/reading.ts';
import type { SampleLayout } from '../../core/audio/containers/sample-layout.ts';
import type { ByteSource } from './byte-source.ts';
import type { PcmBlock, PcmTrack } from './pcm.ts';

const pieceBytes = 2 ** 16;

/** Opens a file of samples at a fixed rate, WAV or AIFF; one that is cut off ends with its last whole sample. */
export async function openSamples(bytes: ByteSource, reading: Reading<SampleLayout>): Promise<PcmTrack> {
  const layout = await bytes.perform(reading);
  const { dataOffset, dataLength, blockBytes, blockFrames, sampleRateHz } = layout;
  const end = Math.min(bytes.size, dataOffset + dataLength);
  const blocks = Math.max(0, Math.floor((end - dataOffset) / blockBytes));
  return { durationSeconds: (blocks * blockFrames) / sampleRateHz, blocks: decode(bytes, layout, end) };
}

async function* decode(bytes: ByteSource, layout: SampleLayout, end: number): AsyncGenerator<PcmBlock> {
  const { dataOffset, blockBytes, sampleRateHz } = layout;
  const step = Math.ceil(pieceBytes / blockBytes) * blockBytes;
  for (let at = dataOffset; at < end; at += step) {
    const channels = layout.decode(await bytes.read(at, Math.min(step, end - at)));
    if (channels[0]!.length > 0) yield { sampleRateHz, channels };
  }
}
