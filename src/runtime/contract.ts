/** Element types that models use, named as ONNX Runtime names them. */
export type ElementType =
  'float32' | 'float16' | 'float64' | 'int64' | 'int32' | 'int8' | 'uint8' | 'bool' | 'uint16' | 'int16';

export type TensorData =
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint8Array
  /** Also the bits of `float16`. */
  | Uint16Array;

/** Dense, row-major. */
export interface Tensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly data: TensorData;
}

export type TensorMap = Readonly<Record<string, Tensor>>;

export interface TensorSignature {
  readonly name: string;
  readonly type: ElementType;
  /** A number where the model fixes the dimension, its symbolic name where it doesn't. */
  readonly dims: readonly (number | string)[];
}

/** A loaded model graph. */
export interface Session {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  /**
   * Runs the graph once.
   *
   * @param feeds a tensor for every input; not kept, not changed
   * @param fetches names of the outputs that are wanted; all if left out. Every fetched output costs a copy
   * @throws Error when a name, type or shape doesn't fit; the session stays usable
   */
  run(feeds: TensorMap, fetches?: readonly string[]): Promise<TensorMap>;
  /** Frees native memory; the session can't be used afterwards. */
  release(): Promise<void>;
}
