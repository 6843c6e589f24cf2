import { decodePowerset, speakersOfPowerset } from '../../../core/audio/diarization/powerset.ts';
import type { Session, Tensor } from '../../../contracts/graph.ts';
import { builtInSize } from '../../../runtime/tensors.ts';
import { sampleRateHz } from '../recognizer.ts';
import { createKaldiFeatures } from '../../../core/audio/kaldi-features.ts';

/** Receptive field and step of a frame, in samples, in all versions of pyannote's network. */
const fieldSamples = 991;
export const frameStep = 270;
/** Sample in the middle of the first frame. */
export const firstFrame = Math.floor(fieldSamples / 2);
const defaultSeconds = 10;

export type SegmentationModel = Awaited<ReturnType<typeof createSegmentationModel>>;

/** Samples `[1, 1, samples]` → logits of a powerset `[1, frames, classes]`. @see https://huggingface.co/onnx-community/pyannote-segmentation-3.0 */
export async function createSegmentationModel(session: Session) {
  const [input, ...others] = session.inputs;
  const output = session.outputs[0];
  if (input?.dims.length !== 3 || others.length > 0 || output === undefined)
    throw new Error('expected one input of samples, [1, 1, samples]');
  const windowSamples = builtInSize(input.dims[2]) ?? defaultSeconds * sampleRateHz;
  const frames = Math.floor((windowSamples - fieldSamples) / frameStep) + 1;

  const run = async (samples: Float32Array) => {
    const results = await session.run(
      { [input.name]: { type: 'float32', dims: [1, 1, samples.length], data: samples } },
      [output.name],
    );
    return results[output.name]!;
  };
  const { dims } = await run(new Float32Array(windowSamples));
  const speakers = speakersOfPowerset(dims[2] ?? 0);
  if (dims[1] !== frames || speakers === undefined)
    throw new Error(
      `expected logits of [1, ${frames}, 7] for ${windowSamples} samples, got [${dims.join(', ')}]`,
    );
  return {
    windowSamples,
    /** Max speakers of one window. */
    speakers,
    /** @returns per frame, a bit for each speaker; numbering is valid only within the window */
    segment: async (samples: Float32Array) =>
      decodePowerset((await run(samples)).data as Float32Array, speakers),
    release: () => session.release(),
  };
}

const melBins = 80;
const outputNames = ['embeddings', 'embedding', 'embs', 'last_hidden_state'];

export type VoiceEmbedder = ReturnType<typeof createVoiceEmbedder>;

/**
 * Filter banks `[1, frames, 80]` (WeSpeaker) or samples `[1, samples]` (WavLM x-vectors) → `[1, dimensions]`. The directions of
 * the vectors identify speakers. @see https://github.com/wenet-e2e/wespeaker
 */
export function createVoiceEmbedder(session: Session) {
  const [input, ...others] = session.inputs;
  const bins = input?.dims[2];
  const takesSamples = input?.dims.length === 2;
  const takesFeatures =
    input?.dims.length === 3 && (typeof bins === 'string' || bins === melBins || bins === -1);
  if (input === undefined || others.length > 0 || !(takesSamples || takesFeatures))
    throw new Error('expected one input, of samples, [1, samples], or of filter banks, [1, frames, 80]');
  const names = session.outputs.map(({ name }) => name);
  const output = outputNames.find((name) => names.includes(name)) ?? names[0]!;
  const features = takesFeatures ? createKaldiFeatures({ melBins }) : undefined;

  const toInput = (samples: Float32Array): Tensor => {
    if (!features) return { type: 'float32', dims: [1, samples.length], data: samples };
    const { data, frames } = features.compute(samples);
    return { type: 'float32', dims: [1, frames, melBins], data };
  };
  return {
    /** @param samples of one speaker, 16 kHz, mono */
    async embed(samples: Float32Array) {
      const results = await session.run({ [input.name]: toInput(samples) }, [output]);
      const embedding = results[output]!.data as Float32Array;
      const length = embedding.reduce((sum, value) => sum + value ** 2, 0);
      return length > 0 && length < Infinity ? embedding : undefined;
    },
    release: () => session.release(),
  };
}
