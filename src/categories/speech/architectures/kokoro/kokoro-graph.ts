import type { Session, Tensor, TensorSignature } from '../../../../contracts/graph.ts';
import { symbolBounds } from '../../../../core/speech/timing/symbol-bounds.ts';
import type { DurationTensors } from '../../pipeline/open-graph.ts';
import type { SpeakOptions, Utterance } from '../../synthesizer.ts';
import { builtInSize } from '../../../../runtime/tensors.ts';
import { wrongGraph } from '../../../../runtime/wrong-graph.ts';

const notSpeech = wrongGraph('a speech model');

const idNames = ['input_ids', 'tokens'];
const styleNames = ['style', 'ref_s'];
const outputNames = new Set(['waveform', 'audio']);
/** Frames per id: as predicted, rounded and at least 1. */
export const kokoroDurations: DurationTensors = {
  outputs: new Set(['durations', 'duration', 'pred_dur']),
  operators: ['Round', 'Clip'],
};
const samplesOfFrame = 600;
/** A phoneme is audible before its durations indicate, measured at the ends of pauses: 35 to 50 ms. */
const leadFrames = 2;
const defaultStyleSize = 256;

/** Inputs: `input_ids` `[1, n]`, `style` `[1, size]`, optionally `speed` `[1]`; outputs: `waveform`, optionally `durations` `[1, n]`. */
export function createKokoroGraph(session: Session) {
  const ids = findInput(session, idNames);
  const style = findInput(session, styleNames);
  const speed = session.inputs.find(({ name }) => name === 'speed');
  const known = new Set([ids.name, style.name, speed?.name]);
  const unknown = session.inputs.find(({ name }) => !known.has(name));
  if (unknown) throw notSpeech(`unknown input ${unknown.name}`);
  assertType(ids, ['int64', 'int32']);
  assertType(style, ['float32']);
  if (speed) assertType(speed, ['float32']);
  const length = builtInSize(ids.dims.at(-1));
  if (length !== undefined) throw notSpeech(`${ids.name} has the fixed length ${length}`);
  const output = session.outputs.find(({ name }) => outputNames.has(name)) ?? session.outputs[0];
  if (!output) throw notSpeech('no output');
  assertType(output, ['float32']);
  const durations = session.outputs.find(({ name }) => kokoroDurations.outputs.has(name));
  const fetches = [output.name, ...(durations ? [durations.name] : [])];
  const styleSize = builtInSize(style.dims.at(-1)) ?? defaultStyleSize;

  return {
    styleSize,
    hasSpeed: speed !== undefined,
    hasWordTimes: durations !== undefined,
    /** @returns samples, owned by the caller, with the bounds of each phoneme */
    async speak(
      phonemes: readonly number[],
      styleRow: Float32Array,
      options: SpeakOptions,
    ): Promise<Utterance> {
      const { speed: rate, signal } = options;
      // Kokoro was trained with padding at both ends.
      const padded = [0, ...phonemes, 0];
      const data = ids.type === 'int64' ? BigInt64Array.from(padded, BigInt) : Int32Array.from(padded);
      const feeds: Record<string, Tensor> = {
        [ids.name]: { type: ids.type, dims: [1, padded.length], data },
        [style.name]: { type: 'float32', dims: [1, styleSize], data: styleRow },
      };
      if (speed) feeds[speed.name] = { type: 'float32', dims: [1], data: Float32Array.of(rate) };
      const results = await session.run(feeds, fetches, { signal });
      const samples = Float32Array.from(results[output.name]!.data as Float32Array);
      if (!durations) return { samples };
      const bounds = symbolBounds({
        durations: results[durations.name]!.data,
        places: Array.from({ length: phonemes.length + 2 }, (_, place) => place - 1),
        symbols: phonemes.length,
        samples: samples.length,
      });
      const lead = leadFrames * samplesOfFrame;
      return { samples, bounds: bounds?.map((bound) => Math.max(0, bound - lead)) };
    },
  };
}

function findInput({ inputs }: Session, names: readonly string[]): TensorSignature {
  const input = inputs.find(({ name }) => names.includes(name));
  if (input) return input;
  throw notSpeech(`no input ${names.join(' or ')}, only ${inputs.map(({ name }) => name).join(', ')}`);
}

function assertType({ name, type }: TensorSignature, expected: readonly string[]): void {
  if (!expected.includes(type)) throw notSpeech(`${name} is ${type}, expected ${expected.join(' or ')}`);
}
