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
   * Aborts the run, which then rejects with the signal's reason; the session stays usable. The native runtime stops between two
   * operators, other runtimes before the run starts.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Hint that it takes a few milliseconds, such as one token. A worker then computes it in its main thread: a thread switch takes
   * longer than the rest of a token.
   */
  readonly isShort?: boolean | undefined;
}

/** A loaded model graph. */
export interface Session {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  /**
   * Runs the graph once.
   *
   * @param feeds a tensor for every input; not kept, not changed
   * @param fetches names of the outputs to return; default: all. Every fetched output costs a copy
   * @throws Error if a name, type or shape doesn't fit; the session stays usable
   */
  run(feeds: TensorMap, fetches?: readonly string[], options?: GraphRunOptions): Promise<TensorMap>;
  /** Waits for runs in progress and frees native memory; the session can't be used afterwards. */
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
  /** Copies memory of this process. */
  read(): Tensor;
  /** Releases the tensor. Bindings keep its memory until they bind a different tensor or are released. */
  release(): void;
}

/** Inputs and outputs of a graph bound to memory, for runs without allocations. Don't change a tensor, its array or a binding during a run. */
export interface Binding {
  /** Binds an input to memory, replacing the previous binding. Devices other than the CPU copy a tensor of this process at each run. */
  bindInput(name: string, tensor: ResidentTensor): void;
  /**
   * Binds an output to memory of exactly the run's dimensions. A tensor may be both input and output if the operators support it,
   * such as `GroupQueryAttention` with past and present; unbound outputs aren't written.
   */
  bindOutput(name: string, tensor: ResidentTensor): void;
  /** Lets the runtime allocate the memory of an output at every run. */
  allocateOutput(name: string, device?: 'cpu' | 'session'): void;
  /** Runs the graph on a separate thread; runs of one session are serialized. */
  run(options?: GraphRunOptions): Promise<void>;
  /** Takes an output of the last run that the runtime allocated. */
  output(name: string): ResidentTensor;
  /** Like `output`, for several outputs. */
  takeOutputs(names: readonly string[]): ResidentTensor[];
  /** Binds inputs to outputs of the last run that the runtime allocated; only on the CPU. */
  readonly carry?: ((carried: readonly Carried[]) => void) | undefined;
  /** @throws Error the second time, or during a run */
  release(): void;
}

/** An input, and the output of the previous run to feed it with. */
export type Carried = readonly [input: string, output: string];

/** A session with memory that stays bound between runs. */
export interface BindableSession extends Session {
  readonly device: string;
  /**
   * A tensor on the caller's array, which is not copied and must outlive the tensor and its bindings. A decoder's past and
   * present can be one such tensor.
   */
  createTensor(tensor: Tensor): ResidentTensor;
  createBinding(): Binding;
}
