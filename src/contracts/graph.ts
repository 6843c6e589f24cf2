/** Element types in use, with ONNX Runtime's names. */
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
  /** A number if the model fixes the dimension, otherwise its symbolic name. */
  readonly dims: readonly (number | string)[];
}

export interface GraphRunOptions {
  /**
   * Rejects with the signal's reason; the session stays usable. The native runtime stops between two operators, other runtimes
   * before the run starts.
   */
  readonly signal?: AbortSignal | undefined;
  /** Hint that it takes a few milliseconds, such as one token: a worker then avoids a thread switch, which takes longer than the rest of a token. */
  readonly isShort?: boolean | undefined;
}

export interface Session {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  /**
   * @param feeds a tensor for every input; not kept, not changed
   * @param fetches outputs to return; default: all. Every output costs a copy
   * @throws Error if a name, type or shape doesn't fit; the session stays usable
   */
  run(feeds: TensorMap, fetches?: readonly string[], options?: GraphRunOptions): Promise<TensorMap>;
  /** Waits for runs in progress and frees native memory. */
  release(): Promise<void>;
}

/** A tensor in memory that graphs read and write in place. */
export interface ResidentTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  /** `cpu`, or the device that holds the memory. */
  readonly device: string;
  /** The array passed to `createTensor`; `undefined` for memory of the runtime. */
  readonly data: TensorData | undefined;
  read(): Tensor;
  /** Bindings keep its memory until they bind a different tensor or are released. */
  release(): void;
}

/** Inputs and outputs bound to memory, for runs without allocations. Don't change a tensor, its array or a binding during a run. */
export interface Binding {
  /** Devices except the CPU copy a tensor of this process at each run. */
  bindInput(name: string, tensor: ResidentTensor): void;
  /**
   * Dimensions must match the run's exactly. A tensor may be both input and output if the operators support it, such as
   * `GroupQueryAttention`; unbound outputs aren't written.
   */
  bindOutput(name: string, tensor: ResidentTensor): void;
  /** Lets the runtime allocate an output at every run. */
  allocateOutput(name: string, device?: 'cpu' | 'session'): void;
  /** Runs in a separate thread; runs of one session are serialized. */
  run(options?: GraphRunOptions): Promise<void>;
  /** Takes a runtime-allocated output of the last run. */
  output(name: string): ResidentTensor;
  takeOutputs(names: readonly string[]): ResidentTensor[];
  /** Feeds runtime-allocated outputs to the next run; only on the CPU. */
  readonly carry?: ((carried: readonly Carried[]) => void) | undefined;
  /** @throws Error the second time, or during a run */
  release(): void;
}

/** An input, and the previous run's output for it. */
export type Carried = readonly [input: string, output: string];

/** A session with memory that stays bound between runs. */
export interface BindableSession extends Session {
  readonly device: string;
  /** Not copied: the caller's array must outlive the tensor and its bindings. A decoder's past and present can share one. */
  createTensor(tensor: Tensor): ResidentTensor;
  createBinding(): Binding;
}
