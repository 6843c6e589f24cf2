import { createKaldiFeatures } from '../../../core/audio/kaldi-features.ts';
import type { Session, Tensor } from '../../../contracts/graph.ts';

const melBins = 80;
const outputNames = ['embeddings', 'embedding', 'embs', 'last_hidden_state'];

/** The directions of the vectors identify speakers. */
export interface VoiceEmbedder {
  /** @param samples of one speaker, 16 kHz, mono */
  embed(samples: Float32Array): Promise<Float32Array | undefined>;
  release(): Promise<void>;
}

/**
 * Filter banks `[1, frames, 80]` (WeSpeaker) or samples `[1, samples]` (WavLM x-vectors) → `[1, dimensions]`. @see
 * https://github.com/wenet-e2e/wespeaker
 */
export function createVoiceEmbedder(session: Session): VoiceEmbedder {
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
    async embed(samples) {
      const results = await session.run({ [input.name]: toInput(samples) }, [output]);
      const embedding = results[output]!.data as Float32Array;
      const length = embedding.reduce((sum, value) => sum + value ** 2, 0);
      return length > 0 && length < Infinity ? embedding : undefined;
    },
    release: () => session.release(),
  };
}
