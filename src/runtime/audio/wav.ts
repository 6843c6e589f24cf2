import { bytesPerSample, toSamples } from '../../core/audio/containers/pcm-samples.ts';
import { readWavLayout, type WavLayout } from '../../core/audio/containers/wav.ts';
import type { ByteSource } from './byte-source.ts';
import type { PcmBlock, PcmTrack } from './pcm.ts';

const blockBytes = 2 ** 16;

/** Opens a WAV file; one that is cut off ends with its last whole sample. */
export async function openWav(bytes: ByteSource, start: number): Promise<PcmTrack> {
  const layout = await bytes.perform(readWavLayout(start));
  const end = Math.min(bytes.size, layout.dataOffset + layout.dataLength);
  const frames = Math.max(0, Math.floor((end - layout.dataOffset) / toFrameBytes(layout)));
  return { durationSeconds: frames / layout.sampleRateHz, blocks: decode(bytes, layout, frames) };
}

async function* decode(bytes: ByteSource, layout: WavLayout, frames: number): AsyncGenerator<PcmBlock> {
  const { dataOffset, sampleRateHz } = layout;
  const bytesPerFrame = toFrameBytes(layout);
  const framesPerBlock = Math.ceil(blockBytes / bytesPerFrame);
  for (let frame = 0; frame < frames; frame += framesPerBlock) {
    const count = Math.min(framesPerBlock, frames - frame);
    const piece = await bytes.read(dataOffset + frame * bytesPerFrame, count * bytesPerFrame);
    yield { sampleRateHz, channels: toSamples(piece, layout) };
  }
}

function toFrameBytes({ encoding, channels }: WavLayout): number {
  return bytesPerSample[encoding] * channels;
}
