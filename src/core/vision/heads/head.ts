import {
  assertArray,
  assertCount,
  assertList,
  assertObject,
  assertSize,
  assertWithin,
} from '../../assert-values.ts';
import { addCandidate, type Candidates } from '../candidates.ts';
import type { Size } from '../box.ts';
import type { PixelFormat } from '../input-tensor.ts';

/** A dense, row-major output of a model. */
export interface HeadOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Selects candidates. */
export interface DecodeOptions {
  /** Number of classes of the model. */
  readonly classCount: number;
  /** Minimum score, above 0. */
  readonly confidence: number;
  /** Class id → 0 for unselected classes; default: all are selected. A box keeps its best class even if that is unselected. */
  readonly classMask?: Uint8Array | undefined;
}

/** `DecodeOptions` for heads with boxes relative to the input's size. */
export interface SizedDecodeOptions extends DecodeOptions {
  /** Size of the model's input. */
  readonly input: Size;
}

/** Decodes a model's outputs to candidates, which are overwritten. */
export type Decode<Outputs, Options = SizedDecodeOptions> = (
  candidates: Candidates,
  outputs: Outputs,
  options: Options,
) => Candidates;

/** Decodes a single output to candidates. */
export type DecodeInto = Decode<HeadOutput>;

/** The inputs and outputs of a model. */
export interface OutputQuery {
  /** Name and shape of each output, for an input of `input`. */
  readonly outputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
  readonly input: Size;
  /** Number of classes of the model, if known. */
  readonly classCount?: number | undefined;
}

/** The outputs that a head reads. */
export interface FoundOutputs {
  /** Names, in the order that `decode` expects. */
  readonly outputs: readonly string[];
  /** 0 if neither the outputs nor the caller determine it. */
  readonly classCount: number;
}

/** A layout of a model's outputs. */
export interface DetectorHead<Name extends string = string> {
  /** Unique, kebab-case: the value of the setting that selects the head. */
  readonly name: Name;
  /** Shapes of its outputs, for messages and documentation. */
  readonly shapes: string;
  /** Whether the boxes need no suppression; default `false`. */
  readonly picksBoxes?: boolean;
  /** The `model_type`s of a `config.json` that select the head, for heads with ambiguous shapes. */
  readonly modelTypes?: readonly string[];
  /**
   * The preprocessing that its models were trained with; default: like YOLOv8.
   *
   * @param preprocessor content of `preprocessor_config.json`; empty if the file is missing
   */
  preprocessing?(preprocessor: Readonly<Record<string, unknown>>): Preprocessing;
  /**
   * Finds its outputs by their names and shapes.
   *
   * @param isChosen whether a setting or the config selects the head
   */
  find(query: OutputQuery, isChosen: boolean): FoundOutputs | undefined;
  /** Decodes the outputs of one image; the candidates are overwritten. */
  decode(
    candidates: Candidates,
    outputs: readonly [HeadOutput, ...HeadOutput[]],
    options: SizedDecodeOptions,
  ): Candidates;
}

/** Validates the input of a decoder, once per image. */
export function assertDecodable(
  outputs: Readonly<Record<string, HeadOutput>>,
  ranks: number | undefined,
  options: DecodeOptions & Partial<Pick<SizedDecodeOptions, 'input'>>,
  hasInput = false,
): void {
  for (const [name, output] of Object.entries(outputs)) {
    assertObject(name, output);
    const { data, dims } = output;
    assertList(`${name}.dims`, dims, assertCount);
    if (ranks !== undefined && dims.length !== ranks)
      throw new RangeError(`${name}.dims: expected ${ranks} dimensions, got ${dims.length}`);
    assertArray(`${name}.data`, data, Float32Array, { length: dims.reduce((size, dim) => size * dim, 1) });
  }
  assertObject('options', options);
  const { classCount, confidence, input } = options;
  assertCount('classCount', classCount, { min: 1 });
  assertWithin('confidence', confidence);
  if (hasInput) assertSize('input', input);
}

/** How an image becomes the input of a model. */
export interface Preprocessing {
  readonly format: PixelFormat;
  /** `stretch` fills the input with the image; the letterboxes pad it. */
  readonly fit: 'letterbox-center' | 'letterbox-start' | 'stretch';
}

/** Values from 0 to 1. */
export const plainPixels: PixelFormat = {
  channelOrder: 'rgb',
  scale: 1 / 255,
  mean: [0, 0, 0],
  deviation: [1, 1, 1],
  padding: 114,
};

/** The preprocessing of heads without a specific one. */
export const defaultPreprocessing: Preprocessing = { fit: 'letterbox-center', format: plainPixels };

/** Finds the output of a head with a single three-dimensional output. */
export function findRows(
  { outputs, classCount }: OutputQuery,
  classesOf: (dims: readonly number[]) => number,
): FoundOutputs | undefined {
  for (const { name, dims } of outputs) {
    const inShape = dims.length === 3 ? classesOf(dims) : 0;
    if (inShape >= Math.max(1, classCount ?? 1))
      return { outputs: [name], classCount: classCount ?? inShape };
  }
  return undefined;
}

/** Index of the largest of `count` values, `stride` apart from `start` on; the first wins ties. */
export function bestClass(values: Float32Array, start: number, count: number, stride = 1): number {
  let best = 0;
  let bestValue = values[start]!;
  for (let index = 1; index < count; index++) {
    const value = values[start + index * stride]!;
    if (value > bestValue) {
      bestValue = value;
      best = index;
    }
  }
  return best;
}

/** Whether a score is high enough, and the class exists and is selected. */
export function isWanted(
  { classCount, confidence, classMask }: DecodeOptions,
  score: number,
  classId: number,
): boolean {
  return score >= confidence && classId >= 0 && classId < classCount && classMask?.[classId] !== 0;
}

/** Adds a box by its centre and size. */
export function addCentered(
  candidates: Candidates,
  x: number,
  y: number,
  width: number,
  height: number,
  score: number,
  classId: number,
): void {
  const across = width / 2;
  const down = height / 2;
  addCandidate(candidates, x - across, y - down, x + across, y + down, score, classId);
}
