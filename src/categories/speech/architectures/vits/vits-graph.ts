import type { Session, Tensor, TensorSignature } from '../../../../contracts/graph.ts';
import { filled, int64 } from '../../../../runtime/tensors.ts';
import type { DurationTensors } from '../../pipeline/open-graph.ts';
import type { SpeakOptions } from '../../synthesizer.ts';
import type { VitsScales } from './vits-voice.ts';
import { wrongGraph } from '../../../../runtime/wrong-graph.ts';

export interface VitsSpeakOptions extends SpeakOptions {
  readonly scales: VitsScales;
  /** 0 for a model with one speaker. */
  readonly speaker: number;
}

type ToTensor = (ids: readonly number[], options: VitsSpeakOptions) => Tensor;

const notVits = wrongGraph('a VITS');

const idsOf: ToTensor = (ids) => int64([1, ids.length], ids);

/** Input → its tensor: Piper's names, then Hugging Face's. */
const inputs: Readonly<Record<string, ToTensor>> = {
  input: idsOf,
  input_lengths: (ids) => int64([1], [ids.length]),
  scales: (_, { scales: { noise, length, durationNoise }, speed }) => ({
    type: 'float32',
    dims: [3],
    data: Float32Array.of(noise, length / speed, durationNoise),
  }),
  sid: (_, { speaker }) => int64([1], [speaker]),
  input_ids: idsOf,
  attention_mask: ({ length }) => filled('int64', [1, length], 1),
};

const outputNames = new Set(['output', 'waveform']);
/** Frames per id, rounded up; the second name is PyTorch's for the tensor in Piper's exports. */
export const vitsDurations: DurationTensors = {
  outputs: new Set(['durations', '/Ceil_output_0']),
  operators: ['Ceil'],
};

/**
 * Piper: `input` `[1, n]`, `input_lengths` `[1]`, `scales` `[3]`, optionally `sid` `[1]`; Hugging Face: `input_ids` and
 * `attention_mask` `[1, n]`.
 */
export function createVitsGraph(session: Session) {
  for (const { name, type } of session.inputs) {
    if (!Object.hasOwn(inputs, name)) throw notVits(`unknown input ${name}`);
    const expected = name === 'scales' ? 'float32' : 'int64';
    if (type !== expected) throw notVits(`${name} is ${type}, expected ${expected}`);
  }
  const has = (wanted: string): boolean => session.inputs.some(({ name }) => name === wanted);
  if (!has('input') && !has('input_ids')) throw notVits('no input input or input_ids');
  const output: TensorSignature | undefined =
    session.outputs.find(({ name }) => outputNames.has(name)) ?? session.outputs[0];
  if (output?.type !== 'float32') throw notVits('no output of float32');
  const durations = session.outputs.find(({ name }) => vitsDurations.outputs.has(name));
  const fetches = [output.name, ...(durations ? [durations.name] : [])];
  return {
    hasSpeed: has('scales'),
    hasSpeakers: has('sid'),
    hasDurations: durations !== undefined,
    /** @returns samples, owned by the caller, and the frames per id, if the graph has them */
    async speak(ids: readonly number[], options: VitsSpeakOptions) {
      const feeds = Object.fromEntries(session.inputs.map(({ name }) => [name, inputs[name]!(ids, options)]));
      const results = await session.run(feeds, fetches, { signal: options.signal });
      return {
        samples: Float32Array.from(results[output.name]!.data as Float32Array),
        durations: durations && results[durations.name]!.data,
      };
    },
  };
}
