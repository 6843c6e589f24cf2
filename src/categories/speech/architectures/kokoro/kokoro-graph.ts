import { fieldError, type InferenceError } from '../../../../errors.ts';
import type { Session, Tensor, TensorSignature } from '../../../../runtime/contract.ts';
import type { SpeakOptions } from '../../synthesizer.ts';

/** Kokoro's graph over a `Session`: phoneme ids and a style in, samples out. */
export interface KokoroGraph {
  /** Numbers of one style. */
  readonly styleSize: number;
  /** Whether `speed` acts. */
  readonly hasSpeed: boolean;
  /**
   * Runs the graph once.
   *
   * @param ids of the phonemes, without padding
   * @param style of `styleSize` numbers
   * @returns samples, owned by the caller
   */
  speak(ids: readonly number[], style: Float32Array, options: SpeakOptions): Promise<Float32Array>;
}

const idNames = ['input_ids', 'tokens'];
const styleNames = ['style', 'ref_s'];
const outputNames = new Set(['waveform', 'audio']);
const usualStyleSize = 256;

/**
 * Reads a graph with `input_ids` `[1, n]`, `style` `[1, size]` and, if it has it, `speed` `[1]` →
 * `waveform`.
 *
 * @throws InferenceError `invalid_request` when the graph is no such model
 */
export function createKokoroGraph(session: Session): KokoroGraph {
  const ids = findInput(session, idNames);
  const style = findInput(session, styleNames);
  const speed = session.inputs.find(({ name }) => name === 'speed');
  const known = new Set([ids.name, style.name, speed?.name]);
  const unknown = session.inputs.find(({ name }) => !known.has(name));
  if (unknown) throw notSpeech(`unknown input ${unknown.name}`);
  assertType(ids, ['int64', 'int32']);
  assertType(style, ['float32']);
  if (speed) assertType(speed, ['float32']);
  const length = ids.dims.at(-1);
  if (typeof length === 'number' && length > 0) throw notSpeech(`${ids.name} has the fixed length ${length}`);
  const output = session.outputs.find(({ name }) => outputNames.has(name)) ?? session.outputs[0];
  if (!output) throw notSpeech('no output');
  assertType(output, ['float32']);
  const size = style.dims.at(-1);
  const styleSize = typeof size === 'number' && size > 0 ? size : usualStyleSize;

  return {
    styleSize,
    hasSpeed: speed !== undefined,
    async speak(phonemes, styleRow, { speed: rate, signal }) {
      const feeds: Record<string, Tensor> = {
        [ids.name]: toPaddedIds(phonemes, ids.type),
        [style.name]: { type: 'float32', dims: [1, styleSize], data: styleRow },
      };
      if (speed) feeds[speed.name] = { type: 'float32', dims: [1], data: Float32Array.of(rate) };
      const { [output.name]: waveform } = await session.run(feeds, [output.name], { signal });
      return Float32Array.from(waveform!.data as Float32Array);
    },
  };
}

/** Kokoro was trained with a padding at each end. */
function toPaddedIds(ids: readonly number[], type: Tensor['type']): Tensor {
  const padded = [0, ...ids, 0];
  const data = type === 'int64' ? BigInt64Array.from(padded, BigInt) : Int32Array.from(padded);
  return { type, dims: [1, padded.length], data };
}

function findInput({ inputs }: Session, names: readonly string[]): TensorSignature {
  const input = inputs.find(({ name }) => names.includes(name));
  if (input) return input;
  throw notSpeech(`no input ${names.join(' or ')}, only ${inputs.map(({ name }) => name).join(', ')}`);
}

function assertType({ name, type }: TensorSignature, expected: readonly string[]): void {
  if (!expected.includes(type)) throw notSpeech(`${name} is ${type}, expected ${expected.join(' or ')}`);
}

function notSpeech(reason: string): InferenceError {
  return fieldError('source', `the graph is not a speech model: ${reason}`);
}
