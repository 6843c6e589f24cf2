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
  /** A number if the model fixes the dimension, otherwise its symbolic name. */
  readonly dims: readonly (number | string)[];
}

/** Options of a run. */
export interface GraphRunOptions {
  /**
   * Ends the run, which then rejects with the signal's reason; the session stays usable. The native runtime stops between
   * two operators of the graph, other runtimes before the run starts.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether it takes a few milliseconds, as a step of one token. A worker process computes it in its own thread while it
   * does: handing it to another one and back takes longer than the rest of a token.
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
   * @throws Error when a name, type or shape doesn't fit; the session stays usable
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
  /** The array that was given to `createTensor`; `undefined` for memory of the runtime. */
  readonly data: TensorData | undefined;
  /** Copies memory of this process. */
  read(): Tensor;
  /** Gives the tensor up. Bindings that hold it keep the memory until they bind something else or are released. */
  release(): void;
}

/**
 * Inputs and outputs of a graph tied to memory, for runs that allocate no tensors. Neither a tensor nor a binding may
 * be changed while a run is in progress, nor may the array under a tensor.
 */
export interface Binding {
  /**
   * Ties an input to memory, in place of what it was tied to. Devices other than the CPU get a copy of a tensor of this process
   * at each run.
   */
  bindInput(name: string, tensor: ResidentTensor): void;
  /**
   * Ties an output to memory of exactly the dimensions that the run gives it. The same tensor may be input and output where the
   * operators allow it, as `GroupQueryAttention` does with past and present; an output that is not bound isn't written.
   */
  bindOutput(name: string, tensor: ResidentTensor): void;
  /** Leaves the memory of an output to the runtime, which allocates it at every run. */
  allocateOutput(name: string, device?: 'cpu' | 'session'): void;
  /** Runs the graph on a separate thread; runs of one session wait for each other. */
  run(options?: GraphRunOptions): Promise<void>;
  /** Takes an output of the last run, whose memory was left to the runtime. */
  output(name: string): ResidentTensor;
  /** As `output`, for several outputs. */
  takeOutputs(names: readonly string[]): ResidentTensor[];
  /** Ties inputs to outputs of the last run, whose memory was left to the runtime; on the CPU alone. */
  readonly carry?: ((carried: readonly Carried[]) => void) | undefined;
  /** @throws Error the second time, or while a run is in progress */
  release(): void;
}

/** An input, and the output of a run that it is fed in the next. */
export type Carried = readonly [input: string, output: string];

/** A session over memory that stays bound between runs. */
export interface BindableSession extends Session {
  readonly device: string;
  /**
   * A tensor over an array of the caller's, which is not copied and lives as long as the tensor or a binding of it. Past and
   * present of a decoder, for instance, are one such tensor.
   */
  createTensor(tensor: Tensor): ResidentTensor;
  createBinding(): Binding;
}
