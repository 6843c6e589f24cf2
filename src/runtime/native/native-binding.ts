import type {
  Binding,
  Carried,
  GraphRunOptions,
  ResidentTensor,
  TensorSignature,
} from '../../contracts/graph.ts';
import { Handle } from './handle.ts';
import { NativeTensor } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

interface BindingParts {
  readonly core: SessionCore;
  /** `OrtMemoryInfo *` of the session's device, other than the CPU. */
  readonly openMemory: () => bigint;
  /** Creates a tensor from an `OrtValue` of the runtime. */
  readonly adopt: (value: bigint, device: string) => NativeTensor;
  readonly onRelease: (binding: NativeBinding) => void;
}

/** The destination of an output; a device if the runtime allocates it. */
type Place = NativeTensor | 'cpu' | 'session';

/** An `OrtIoBinding` that keeps its tensors alive. */
export class NativeBinding implements Binding {
  readonly carry: Binding['carry'];
  readonly #core: SessionCore;
  readonly #openMemory: () => bigint;
  readonly #adopt: (value: bigint, device: string) => NativeTensor;
  readonly #onRelease: (binding: NativeBinding) => void;
  readonly #api: SessionCore['api'];
  readonly #handle: Handle;
  readonly #inputs = new Map<string, NativeTensor>();
  /** In the order of their first binding, like the runtime's. */
  readonly #outputs = new Map<string, Place>();
  /** Running and waiting runs. */
  #runs = 0;
  #hasResults = false;

  constructor({ core, openMemory, adopt, onRelease }: BindingParts) {
    this.#core = core;
    this.#openMemory = openMemory;
    this.#adopt = adopt;
    this.#onRelease = onRelease;
    const { api } = core;
    this.#api = api;
    this.#handle = new Handle(
      api,
      'binding',
      api.create('CreateIoBinding', core.session.address),
      'ReleaseIoBinding',
    );
    this.carry = core.device === 'cpu' ? (carried) => this.#carry(carried) : undefined;
  }

  bindInput(name: string, tensor: ResidentTensor): void {
    this.#assertIdle();
    const native = assertFits(tensor, findSignature(this.#core.inputs, name, 'input'), this.#core.device);
    if (this.#isCopied(native)) native.hold();
    else this.#bind('BindInput', name, native);
    this.#inputs.get(name)?.drop();
    this.#inputs.set(name, native);
  }

  bindOutput(name: string, tensor: ResidentTensor): void {
    this.#assertIdle();
    const native = assertFits(tensor, findSignature(this.#core.outputs, name, 'output'), this.#core.device);
    this.#bind('BindOutput', name, native);
    this.#setOutput(name, native);
  }

  allocateOutput(name: string, device: 'cpu' | 'session' = 'cpu'): void {
    this.#assertIdle();
    findSignature(this.#core.outputs, name, 'output');
    this.#allocate(name, device);
    this.#setOutput(name, device);
  }

  async run(options: GraphRunOptions | undefined): Promise<void> {
    this.#handle.assertAlive();
    this.#runs++;
    this.#hasResults = false;
    try {
      await this.#core.run((inThisThread) => this.#call(inThisThread), options);
      this.#hasResults = true;
    } finally {
      this.#runs--;
    }
  }

  output(name: string): ResidentTensor {
    return this.takeOutputs([name])[0]!;
  }

  takeOutputs(names: readonly string[]): NativeTensor[] {
    const taken = new Map<string, NativeTensor>();
    for (const [name, value] of this.#readOutputs(names)) {
      if (names.includes(name))
        taken.set(name, this.#adopt(value, this.#outputs.get(name) === 'cpu' ? 'cpu' : this.#core.device));
      else this.#api.call('ReleaseValue', value);
    }
    return names.map((name) => taken.get(name)!);
  }

  release(): void {
    this.#assertIdle();
    this.free();
    this.#onRelease(this);
  }

  /** Called when its session is released, after its runs. */
  free(): void {
    this.#handle.release(this.#core.whenFree);
    for (const tensor of this.#inputs.values()) tensor.drop();
    for (const tensor of this.#outputs.values()) if (typeof tensor !== 'string') tensor.drop();
    this.#inputs.clear();
    this.#outputs.clear();
  }

  /** Without a tensor per output. Devices other than the CPU can only free an input's memory while nothing runs. */
  #carry(carried: readonly Carried[]): void {
    for (const [input] of carried) findSignature(this.#core.inputs, input, 'input');
    for (const [name, value] of this.#readOutputs(carried.map(([, output]) => output))) {
      for (const [input, output] of carried) {
        if (output !== name) continue;
        this.#api.call('BindInput', this.#handle.address, input, value);
        this.#inputs.get(input)?.drop();
        this.#inputs.delete(input);
      }
      this.#api.call('ReleaseValue', value);
    }
  }

  /** Binds the new tensor before releasing the old one, so that a runtime error changes nothing. */
  #bind(way: 'BindInput' | 'BindOutput', name: string, tensor: NativeTensor): void {
    const value = tensor.hold();
    try {
      this.#api.call(way, this.#handle.address, name, value);
    } catch (error) {
      tensor.drop();
      throw error;
    }
  }

  #setOutput(name: string, place: Place): void {
    const previous = this.#outputs.get(name);
    if (previous !== undefined && typeof previous !== 'string') previous.drop();
    this.#outputs.set(name, place);
  }

  #allocate(name: string, device: 'cpu' | 'session'): void {
    const isHere = device === 'cpu' || this.#core.device === 'cpu';
    this.#api.call(
      'BindOutputToDevice',
      this.#handle.address,
      name,
      isHere ? this.#api.cpuMemory : this.#openMemory(),
    );
  }

  /** Whether the runtime copies a tensor to the device when binding it. */
  #isCopied(tensor: NativeTensor): boolean {
    return tensor.device !== this.#core.device;
  }

  #call(inThisThread: boolean): void | Promise<void> {
    this.#prepare();
    const { session, runOptions } = this.#core;
    const addresses = [session.address, runOptions.address, this.#handle.address] as const;
    if (inThisThread) return this.#api.call('RunWithBinding', ...addresses);
    return this.#api.callAsync('RunWithBinding', ...addresses);
  }

  #prepare(): void {
    for (const [name, tensor] of this.#inputs) {
      tensor.assertAttached();
      if (this.#isCopied(tensor)) this.#api.call('BindInput', this.#handle.address, name, tensor.address);
    }
    // Otherwise the runtime would write into the last run's memory, which may have different dimensions.
    for (const [name, place] of this.#outputs) {
      if (typeof place === 'string') this.#allocate(name, place);
      else place.assertAttached();
    }
  }

  /**
   * `OrtValue *` of all bound outputs, which the caller releases.
   * @param wanted outputs whose memory must be the runtime's
   */
  #readOutputs(wanted: readonly string[]): (readonly [name: string, value: bigint])[] {
    this.#assertIdle();
    for (const name of wanted) {
      if (typeof this.#outputs.get(name) !== 'string')
        throw new TypeError(`${name}: expected an output whose memory is left to the runtime`);
    }
    if (!this.#hasResults) throw new Error('binding: expected a run that succeeded');
    const list = new BigUint64Array(1);
    const count = new BigUint64Array(1);
    this.#api.call('GetBoundOutputValues', this.#handle.address, this.#api.allocator, list, count);
    const values = new BigUint64Array(this.#api.copyBytes(list[0]!, Number(count[0]) * 8));
    this.#api.call('AllocatorFree', this.#api.allocator, list[0]!);
    return Array.from(this.#outputs.keys(), (name, index) => [name, values[index]!]);
  }

  #assertIdle(): void {
    this.#handle.assertAlive();
    if (this.#runs > 0) throw new Error('binding: a run is under way');
  }
}

/** @throws TypeError for an unknown name */
function findSignature(
  signatures: readonly TensorSignature[],
  name: string,
  side: 'input' | 'output',
): TensorSignature {
  const signature = signatures.find((candidate) => candidate.name === name);
  if (!signature) throw new TypeError(`${name}: the graph has no such ${side}`);
  return signature;
}

/** Checks that a tensor matches the graph's declaration, which the runtime doesn't. */
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
