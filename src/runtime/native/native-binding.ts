import type { Binding, ResidentTensor, GraphRunOptions, TensorSignature } from '../../contracts/graph.ts';
import { Handle } from './handle.ts';
import { NativeTensor } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

/** The part of a session that a binding uses. */
export interface BindingParts {
  readonly core: SessionCore;
  /** `OrtMemoryInfo *` of the session's device, other than the CPU. */
  readonly openMemory: () => bigint;
  /** Makes a tensor of an `OrtValue` of the runtime's. */
  readonly adopt: (value: bigint, device: string) => NativeTensor;
  readonly onRelease: (binding: NativeBinding) => void;
}

/** An `OrtIoBinding` that keeps what is bound to it. */
export class NativeBinding implements Binding {
  readonly #parts: BindingParts;
  readonly #handle: Handle;
  readonly #inputs = new Map<string, NativeTensor>();
  /** In the order of their first binding, which is the runtime's; a device where the runtime allocates. */
  readonly #outputs = new Map<string, NativeTensor | 'cpu' | 'session'>();
  /** Runs that are under way or wait. */
  #runs = 0;
  #hasResults = false;

  constructor(parts: BindingParts) {
    this.#parts = parts;
    const { api, session } = parts.core;
    const binding = api.create('CreateIoBinding', session);
    this.#handle = new Handle(api, 'binding', binding, 'ReleaseIoBinding');
  }

  bindInput(name: string, tensor: ResidentTensor): void {
    this.#assertIdle();
    const { core } = this.#parts;
    const native = assertFits(tensor, findSignature(core.inputs, name, 'input'), core.device);
    if (this.#isCopied(native)) native.hold();
    else this.#bind('BindInput', name, native);
    this.#inputs.get(name)?.drop();
    this.#inputs.set(name, native);
  }

  bindOutput(name: string, tensor: ResidentTensor): void {
    this.#assertIdle();
    const { core } = this.#parts;
    const native = assertFits(tensor, findSignature(core.outputs, name, 'output'), core.device);
    this.#bind('BindOutput', name, native);
    this.#setOutput(name, native);
  }

  allocateOutput(name: string, device: 'cpu' | 'session' = 'cpu'): void {
    this.#assertIdle();
    findSignature(this.#parts.core.outputs, name, 'output');
    this.#allocate(name, device);
    this.#setOutput(name, device);
  }

  async run(options?: GraphRunOptions): Promise<void> {
    this.#handle.assertAlive();
    this.#runs++;
    this.#hasResults = false;
    try {
      await this.#parts.core.run(this.#call, options);
      this.#hasResults = true;
    } finally {
      this.#runs--;
    }
  }

  output(name: string): ResidentTensor {
    return this.takeOutputs([name])[0]!;
  }

  takeOutputs(names: readonly string[]): ResidentTensor[] {
    this.#assertIdle();
    for (const name of names) {
      if (typeof this.#outputs.get(name) !== 'string') {
        throw new TypeError(`${name}: expected an output whose memory is left to the runtime`);
      }
    }
    if (!this.#hasResults) throw new Error('binding: expected a run that succeeded');
    const { core, adopt } = this.#parts;
    const values = this.#readOutputs();
    const taken = new Map<string, NativeTensor>();
    let index = 0;
    for (const [name, place] of this.#outputs) {
      const value = values[index++]!;
      if (names.includes(name)) taken.set(name, adopt(value, place === 'cpu' ? 'cpu' : core.device));
      else core.api.call('ReleaseValue', value);
    }
    return names.map((name) => taken.get(name)!);
  }

  release(): void {
    this.#assertIdle();
    this.free();
    this.#parts.onRelease(this);
  }

  /** Releases it when its session is released, which has waited for its runs. */
  free(): void {
    this.#handle.release(this.#parts.core.whenFree);
    for (const tensor of this.#inputs.values()) tensor.drop();
    for (const tensor of this.#outputs.values()) if (typeof tensor !== 'string') tensor.drop();
    this.#inputs.clear();
    this.#outputs.clear();
  }

  /** Binds first and lets go of what was bound after it, so that nothing changes when the runtime refuses. */
  #bind(call: 'BindInput' | 'BindOutput', name: string, tensor: NativeTensor): void {
    const value = tensor.hold();
    try {
      this.#parts.core.api.call(call, this.#handle.address, name, value);
    } catch (error) {
      tensor.drop();
      throw error;
    }
  }

  #setOutput(name: string, place: NativeTensor | 'cpu' | 'session'): void {
    const previous = this.#outputs.get(name);
    if (previous !== undefined && typeof previous !== 'string') previous.drop();
    this.#outputs.set(name, place);
  }

  #allocate(name: string, device: 'cpu' | 'session'): void {
    const { core, openMemory } = this.#parts;
    const isHere = device === 'cpu' || core.device === 'cpu';
    const info = isHere ? core.api.cpuMemory : openMemory();
    core.api.call('BindOutputToDevice', this.#handle.address, name, info);
  }

  /** Whether the runtime copies a tensor to the device when it is bound. */
  #isCopied(tensor: NativeTensor): boolean {
    return tensor.device !== this.#parts.core.device;
  }

  readonly #call = (inThisThread: boolean): void | Promise<void> => {
    this.#prepare();
    const { api, session, runOptions } = this.#parts.core;
    const { address } = this.#handle;
    if (inThisThread) return api.call('RunWithBinding', session, runOptions, address);
    return api.callAsync('RunWithBinding', session, runOptions, address);
  };

  #prepare(): void {
    const { api } = this.#parts.core;
    for (const [name, tensor] of this.#inputs) {
      tensor.assertAttached();
      if (this.#isCopied(tensor)) api.call('BindInput', this.#handle.address, name, tensor.address);
    }
    // The runtime would write into the memory of the last run, whose dimensions may be others.
    for (const [name, place] of this.#outputs) {
      if (typeof place === 'string') this.#allocate(name, place);
      else place.assertAttached();
    }
  }

  /** `OrtValue *` of all bound outputs, which the caller releases. */
  #readOutputs(): BigUint64Array {
    const { api } = this.#parts.core;
    const list = new BigUint64Array(1);
    const count = new BigUint64Array(1);
    api.call('GetBoundOutputValues', this.#handle.address, api.allocator, list, count);
    const values = new BigUint64Array(api.copyBytes(list[0]!, Number(count[0]) * 8));
    api.call('AllocatorFree', api.allocator, list[0]!);
    return values;
  }

  #assertIdle(): void {
    this.#handle.assertAlive();
    if (this.#runs > 0) throw new Error('binding: a run is under way');
  }
}

/** @throws TypeError when there is none of that name */
function findSignature(
  signatures: readonly TensorSignature[],
  name: string,
  side: 'input' | 'output',
): TensorSignature {
  const signature = signatures.find((candidate) => candidate.name === name);
  if (!signature) throw new TypeError(`${name}: the graph has no such ${side}`);
  return signature;
}

/** Checks that a tensor can be what a graph declares: the runtime takes what it is given for such. */
function assertFits(
  tensor: ResidentTensor,
  { name, type, dims }: TensorSignature,
  device: string,
): NativeTensor {
  if (!(tensor instanceof NativeTensor)) {
    throw new TypeError(`${name}: expected a tensor that a session made`);
  }
  if (tensor.type !== type) throw new TypeError(`${name}: expected ${type}, got ${tensor.type}`);
  if (tensor.device !== 'cpu' && tensor.device !== device) {
    throw new TypeError(`${name}: expected memory of ${device}, got ${tensor.device}`);
  }
  const fits =
    tensor.dims.length === dims.length &&
    dims.every((dim, axis) => typeof dim === 'string' || dim === tensor.dims[axis]);
  if (!fits) {
    throw new RangeError(`${name}: expected [${dims.join(', ')}], got [${tensor.dims.join(', ')}]`);
  }
  return tensor;
}
