import type {
  Binding,
  Carried,
  GraphRunOptions,
  ResidentTensor,
  Session,
  Tensor,
  TensorMap,
  BindableSession,
} from '../contracts/graph.ts';
import { toFloat32 } from './encoder/token-inputs.ts';
import { filled } from './tensors.ts';

/** Whether tensors can be bound to a session; only with the native runtime. */
export function isBindable(session: Session): session is BindableSession {
  return 'createBinding' in session;
}

export type BoundGraph = ReturnType<typeof bindGraph>;

/** Runs a graph repeatedly: inputs stay bound, and outputs for the next run stay in the runtime's memory. */
export function bindGraph(session: Session) {
  const createTensor = isBindable(session) ? session.createTensor : holdTensor;
  const binding = isBindable(session) ? session.createBinding() : createRunBinding(session);
  /** Memory of outputs with a size known before a run. */
  const fetched = new Map<string, Tensor>();
  const graph = {
    /** @param tensor its array may be rewritten before each run */
    feed(name: string, tensor: Tensor | ResidentTensor): void {
      if ('read' in tensor) return binding.bindInput(name, tensor);
      const made = createTensor(tensor);
      binding.bindInput(name, made);
      made.release();
    },
    feedAll(tensors: Readonly<Record<string, Tensor | ResidentTensor>>): void {
      for (const [name, tensor] of Object.entries(tensors)) graph.feed(name, tensor);
    },
    /** Keeps outputs on the session's device. */
    keep(outputs: readonly string[]): void {
      for (const name of outputs) binding.allocateOutput(name, 'session');
    },
    /**
     * Copies an output to this process; into the same memory at each run, if its last dimension is fixed.
     * @param leading dimensions before the last one
     */
    fetch(name: string, leading?: readonly number[]): void {
      const { type, dims: open } = session.outputs.find((output) => output.name === name)!;
      const last = open.at(-1);
      const isKnown = leading?.length === open.length - 1 && typeof last === 'number';
      if (!isKnown || !isBindable(session) || session.device !== 'cpu') return binding.allocateOutput(name);
      const tensor = filled(type, [...leading, last]);
      const made = createTensor(tensor);
      binding.bindOutput(name, made);
      made.release();
      fetched.set(name, tensor);
    },
    run: (options?: GraphRunOptions): Promise<void> => binding.run(options),
    /** A fetched output; if it has fixed memory, the next run overwrites it. */
    read(name: string): Tensor {
      const own = fetched.get(name);
      if (own) return own;
      const output = binding.output(name);
      try {
        return output.read();
      } finally {
        output.release();
      }
    },
    /** The numbers of a fetched output, like `read`. */
    readNumbers: (name: string): Float32Array => toFloat32(graph.read(name)),
    take: (outputs: readonly string[]): ResidentTensor[] => binding.takeOutputs(outputs),
    /** Feeds outputs of the last run to the next one. */
    carry(carried: readonly Carried[]): void {
      if (binding.carry) return binding.carry(carried);
      const tensors = binding.takeOutputs(carried.map(([, output]) => output));
      for (const [index, [input]] of carried.entries()) {
        binding.bindInput(input, tensors[index]!);
        tensors[index]!.release();
      }
    },
    release: (): void => binding.release(),
  };
  return graph;
}

/** Runs a graph once. @returns its outputs on the session's device */
export async function runKept(
  session: Session,
  feeds: Readonly<Record<string, Tensor | ResidentTensor>>,
  outputs: readonly string[],
  options?: GraphRunOptions,
): Promise<ResidentTensor[]> {
  const graph = bindGraph(session);
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

/** A binding to a session that can only run: inputs and outputs are JavaScript tensors. */
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
