import { elementTypes } from '../core/onnx/element-types.ts';
import { copyModel } from '../core/onnx/tensor-graphs.ts';
import { writeOnnxModel } from '../core/onnx/write-model.ts';
import type {
  BindableSession,
  ResidentTensor,
  GraphRunOptions,
  Session,
  Tensor,
  TensorMap,
} from '../contracts/graph.ts';

export interface ResidentFeedsOptions {
  /** Whether tensors that an input is fed come again. */
  readonly recurs: (input: string) => boolean;
  /** Number of them kept on the device; the least recently fed are dropped first, and copied again when needed. */
  readonly most: number;
  /** Loads a small graph on the device. */
  readonly createSession: (model: Uint8Array) => Promise<BindableSession>;
}

/**
 * A session that copies tensors which are fed again and again to its device once: what a decoder attends to at each step, for
 * instance. The same tensor is the same object; its data must not change.
 */
export function keepFeedsResident(
  session: BindableSession,
  { recurs, most, createSession }: ResidentFeedsOptions,
): Session {
  /** In the order in which they were fed last. */
  const kept = new Map<Tensor, ResidentTensor>();
  const copiers = new Map<string, Promise<BindableSession>>();

  return {
    inputs: session.inputs,
    outputs: session.outputs,
    run,
    async release() {
      for (const tensor of kept.values()) tensor.release();
      kept.clear();
      const opened = await Promise.all(copiers.values());
      for (const copier of [...opened, session]) await copier.release();
    },
  };

  async function run(
    feeds: TensorMap,
    fetches?: readonly string[],
    options?: GraphRunOptions,
  ): Promise<TensorMap> {
    const names = fetches ?? session.outputs.map(({ name }) => name);
    const residents = new Map<string, ResidentTensor>();
    for (const { name } of session.inputs) {
      const feed = feeds[name];
      if (feed && feed.data.length > 0 && recurs(name)) residents.set(name, await residentOf(feed));
    }
    const binding = session.createBinding();
    try {
      for (const { name } of session.inputs) {
        const feed = feeds[name];
        if (!feed) throw new Error(`${name}: this input is missing`);
        const resident = residents.get(name);
        const tensor = resident ?? session.createTensor(feed);
        binding.bindInput(name, tensor);
        if (!resident) tensor.release();
      }
      for (const name of names) binding.allocateOutput(name);
      await binding.run(options);
      return Object.fromEntries(
        names.map((name) => {
          const output = binding.output(name);
          const read = output.read();
          output.release();
          return [name, read];
        }),
      );
    } finally {
      binding.release();
    }
  }

  async function residentOf(tensor: Tensor): Promise<ResidentTensor> {
    const resident = kept.get(tensor) ?? (await copy(tensor));
    kept.delete(tensor);
    kept.set(tensor, resident);
    for (const [oldest, given] of kept) {
      if (kept.size <= most) break;
      kept.delete(oldest);
      given.release();
    }
    return resident;
  }

  async function copy(tensor: Tensor): Promise<ResidentTensor> {
    const { type, dims } = tensor;
    const key = `${type} ${dims.length}`;
    let copier = copiers.get(key);
    if (!copier) {
      copier = createSession(writeOnnxModel(copyModel(elementTypes[type], dims.length)));
      copiers.set(key, copier);
    }
    const copying = await copier;
    const binding = copying.createBinding();
    try {
      const here = copying.createTensor(tensor);
      binding.bindInput('x', here);
      here.release();
      binding.allocateOutput('y', 'session');
      await binding.run();
      return binding.output('y');
    } finally {
      binding.release();
    }
  }
}
