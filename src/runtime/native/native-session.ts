import type {
  BindableSession,
  Binding,
  ResidentTensor,
  GraphRunOptions,
  Tensor,
  TensorMap,
  TensorSignature,
} from '../../contracts/graph.ts';
import { openMemory } from './device-memory.ts';
import { runGraph } from './graph-runner.ts';
import type { Handle } from './handle.ts';
import { NativeBinding } from './native-binding.ts';
import { NativeTensor, shapeOf, wrapTensor, type NativeTensorParts } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

/**
 * A graph in the native runtime; owns its bindings and tensors. Its methods are properties, so that wrappers can spread it.
 */
export class NativeSession implements BindableSession {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
  readonly device: string;
  readonly #core: SessionCore;
  #memory: Handle | undefined;
  readonly #bindings = new Set<NativeBinding>();
  readonly #tensors = new Set<NativeTensor>();
  #isReleased = false;

  constructor(core: SessionCore) {
    this.inputs = core.inputs;
    this.outputs = core.outputs;
    this.device = core.device;
    this.#core = core;
  }

  readonly run = async (
    feeds: TensorMap,
    fetches?: readonly string[],
    options?: GraphRunOptions,
  ): Promise<TensorMap> => {
    const names = fetches ?? this.outputs.map(({ name }) => name);
    return this.#core.run((inThisThread) => runGraph(this.#core, feeds, names, inThisThread), options);
  };

  readonly createTensor = (tensor: Tensor): ResidentTensor => {
    this.#core.assertOpen();
    const { type, dims, data } = tensor;
    const value = wrapTensor(this.#core.api, tensor, 'tensor');
    return this.#keep({ value, type, dims: [...dims], device: 'cpu', data });
  };

  readonly createBinding = (): Binding => {
    this.#core.assertOpen();
    const binding = new NativeBinding({
      core: this.#core,
      openMemory: () => (this.#memory ??= openMemory(this.#core.api, this.device)).address,
      adopt: (value, device) => this.#keep({ value, ...shapeOf(this.#core.api, value), device }),
      onRelease: (released) => this.#bindings.delete(released),
    });
    this.#bindings.add(binding);
    return binding;
  };

  readonly release = async (): Promise<void> => {
    await this.#core.close();
    for (const binding of this.#bindings) binding.free();
    for (const tensor of this.#tensors) if (!tensor.isReleased) tensor.release();
    this.#isReleased = true;
    this.#freeIfUnused();
    await this.#core.idle();
  };

  /** Memory of the runtime goes before the session, and bindings of other sessions may still hold some. */
  #freeIfUnused(): void {
    if (!this.#isReleased || [...this.#tensors].some(({ data }) => data === undefined)) return;
    this.#isReleased = false;
    this.#memory?.release();
    this.#core.free();
  }

  #keep(parts: Omit<NativeTensorParts, 'onFree' | 'whenFree'>): NativeTensor {
    const tensor = new NativeTensor(this.#core.api, {
      ...parts,
      whenFree: this.#core.whenFree,
      onFree: (freed) => {
        this.#tensors.delete(freed);
        this.#freeIfUnused();
      },
    });
    this.#tensors.add(tensor);
    return tensor;
  }
}
