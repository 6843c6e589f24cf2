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

/** One output of a model: dense, row-major. */
export interface HeadOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Bounds of a candidate. */
export interface DecodeOptions {
  /** Number of classes of the model. */
  readonly classCount: number;
  /** Least score, above 0. */
  readonly confidence: number;
  /** Class id → 0 for classes that aren't wanted; default: all are. A box has its best class all the same. */
  readonly classMask?: Uint8Array | undefined;
}

/** `DecodeOptions` for heads with boxes relative to the input's size. */
export interface SizedDecodeOptions extends DecodeOptions {
  /** Size of the model's input. */
  readonly input: Size;
}

/** Outputs of a model → candidates; what was in them before is lost. */
export type Decode<Outputs, Options = SizedDecodeOptions> = (
  candidates: Candidates,
  outputs: Outputs,
  options: Options,
) => Candidates;

/** One output of a model → candidates. */
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
  /** Names, in the order in which the head decodes the outputs. */
  readonly outputs: readonly string[];
  /** 0 where neither the outputs nor the caller know. */
  readonly classCount: number;
}

/** One layout of a model's outputs. */
export interface DetectorHead<Name extends string = string> {
  /** Unique, kebab-case: the value of a setting that chooses the head. */
  readonly name: Name;
  /** Shapes of its outputs, for messages and documentation. */
  readonly shapes: string;
  /** Whether the boxes are picked already, so that nothing needs to be suppressed; default `false`. */
  readonly picksBoxes?: boolean;
  /** Each `model_type` of a `config.json` that chooses the head, whose shapes are those of another, too. */
  readonly modelTypes?: readonly string[];
  /**
   * Preprocessing with which its models were trained; default: that of YOLOv8.
   *
   * @param preprocessor content of `preprocessor_config.json`; empty where the file is missing
   */
  preprocessing?(preprocessor: Readonly<Record<string, unknown>>): Preprocessing;
  /**
   * Finds its outputs by their names and shapes.
   *
   * @param isChosen whether a setting or the config chooses the head
   */
  find(query: OutputQuery, isChosen: boolean): FoundOutputs | undefined;
  /** Decodes the outputs of one image; whatever was in the candidates is lost. */
  decode(
    candidates: Candidates,
    outputs: readonly [HeadOutput, ...HeadOutput[]],
    options: SizedDecodeOptions,
  ): Candidates;
}

/** Checks what a head decodes, once for each image. */
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

/** Preprocessing of images. */
export interface Preprocessing {
  readonly format: PixelFormat;
  /** `stretch` fills the input with the image; the others pad it. */
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

/** Preprocessing of heads that name no other. */
export const usualPreprocessing: Preprocessing = { fit: 'letterbox-center', format: plainPixels };

/** Finds the one output of a head by its shape of three axes. */
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

/** Index of the greatest of `count` values, `stride` apart from `start` on; the first of equal ones. */
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

/** Whether a box is sure enough, and of a class that the model has and that is wanted. */
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
