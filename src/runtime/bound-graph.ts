import type {
  Binding,
  GraphRunOptions,
  ResidentTensor,
  Session,
  Tensor,
  TensorMap,
} from '../contracts/graph.ts';
import { toFloat32 } from './encoder/token-inputs.ts';
import { isBindable } from './is-bindable.ts';
import { filled } from './tensors.ts';

/** An input, and the output of a run that it is fed in the next. */
export type Carried = readonly [input: string, output: string];

/** A graph that runs again and again. What it is fed stays bound, and what it hands to its next run stays where the runtime wrote it. */
export class BoundGraph {
  readonly #session: Session;
  readonly #createTensor: (tensor: Tensor) => ResidentTensor;
  readonly #binding: Binding;
  /** Memory of outputs whose size is known before a run. */
  readonly #fetched = new Map<string, Tensor>();

  constructor(session: Session) {
    this.#session = session;
    this.#createTensor = isBindable(session) ? session.createTensor : holdTensor;
    this.#binding = isBindable(session) ? session.createBinding() : createRunBinding(session);
  }

  /** @param tensor an array of it may be written anew before each run */
  feed(name: string, tensor: Tensor | ResidentTensor): void {
    if ('read' in tensor) return this.#binding.bindInput(name, tensor);
    const made = this.#createTensor(tensor);
    this.#binding.bindInput(name, made);
    made.release();
  }

  feedAll(tensors: Readonly<Record<string, Tensor | ResidentTensor>>): void {
    for (const [name, tensor] of Object.entries(tensors)) this.feed(name, tensor);
  }

  /** Leaves outputs where the graph computes. */
  keep(outputs: readonly string[]): void {
    for (const name of outputs) this.#binding.allocateOutput(name, 'session');
  }

  /**
   * Lets an output come into this process; into the same memory at each run, if its last dimension is fixed.
   * @param leading dimensions before the last one
   */
  fetch(name: string, leading?: readonly number[]): void {
    const { type, dims: open } = this.#session.outputs.find((output) => output.name === name)!;
    const last = open.at(-1);
    const isKnown = leading?.length === open.length - 1 && typeof last === 'number';
    if (!isKnown || !isBindable(this.#session) || this.#session.device !== 'cpu')
      return this.#binding.allocateOutput(name);
    const tensor = filled(type, [...leading, last]);
    const made = this.#createTensor(tensor);
    this.#binding.bindOutput(name, made);
    made.release();
    this.#fetched.set(name, tensor);
  }

  run(options?: GraphRunOptions): Promise<void> {
    return this.#binding.run(options);
  }

  /** A fetched output; where it came into the same memory, the next run overwrites it. */
  read(name: string): Tensor {
    const fetched = this.#fetched.get(name);
    if (fetched) return fetched;
    const output = this.#binding.output(name);
    try {
      return output.read();
    } finally {
      output.release();
    }
  }

  /** The numbers of a fetched output, as `read`. */
  readNumbers(name: string): Float32Array {
    return toFloat32(this.read(name));
  }

  take(outputs: readonly string[]): ResidentTensor[] {
    return this.#binding.takeOutputs(outputs);
  }

  /** Feeds the next run what the last one made. */
  carry(carried: readonly Carried[]): void {
    const tensors = this.take(carried.map(([, output]) => output));
    for (const [index, [input]] of carried.entries()) {
      this.#binding.bindInput(input, tensors[index]!);
      tensors[index]!.release();
    }
  }

  release(): void {
    this.#binding.release();
  }
}

/** Runs a graph once. @returns its outputs, where it computes them */
export async function runKept(
  session: Session,
  feeds: Readonly<Record<string, Tensor | ResidentTensor>>,
  outputs: readonly string[],
  options?: GraphRunOptions,
): Promise<ResidentTensor[]> {
  const graph = new BoundGraph(session);
  try {
    graph.feedAll(feeds);
    graph.keep(outputs);
    await graph.run(options);
    return graph.take(outputs);
  } finally {
    graph.release();
  }
}

function holdTensor(tensor: Tensor): ResidentTensor {
  return { ...tensor, device: 'cpu', read: () => tensor, release: () => undefined };
}

/** A binding to a session that can only run: what it is fed and what it makes are tensors of JavaScript. */
function createRunBinding(session: Session): Binding {
  const feeds: Record<string, Tensor> = {};
  const outputs = new Set<string>();
  let results: TensorMap = {};
  const output = (name: string): ResidentTensor => holdTensor(results[name]!);
  return {
    bindInput: (name, tensor) => void (feeds[name] = tensor.read()),
    bindOutput() {
      throw new Error('this session allocates its outputs');
    },
    allocateOutput: (name) => void outputs.add(name),
    async run(options) {
      results = await session.run(feeds, [...outputs], options);
    },
    output,
    takeOutputs: (names) => names.map(output),
    release: () => undefined,
  };
}
