import type { Binding, Carried, ResidentTensor, TensorSignature } from '../../contracts/graph.ts';
import { Handle } from './handle.ts';
import { NativeTensor } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

/** The part of a session that a binding uses. */
interface BindingParts {
  readonly core: SessionCore;
  /** `OrtMemoryInfo *` of the session's device, other than the CPU. */
  readonly openMemory: () => bigint;
  /** Makes a tensor of an `OrtValue` of the runtime's. */
  readonly adopt: (value: bigint, device: string) => NativeTensor;
  readonly onRelease: (binding: NativeBinding) => void;
}

/** Where an output comes to; a device where the runtime allocates. */
type Place = NativeTensor | 'cpu' | 'session';

/** An `OrtIoBinding` that keeps what is bound to it. */
export interface NativeBinding extends Binding {
  /** Releases it when its session is released, which has waited for its runs. */
  free(): void;
}

export function createNativeBinding({ core, openMemory, adopt, onRelease }: BindingParts): NativeBinding {
  const { api } = core;
  const handle = new Handle(api, 'binding', api.create('CreateIoBinding', core.session), 'ReleaseIoBinding');
  const inputs = new Map<string, NativeTensor>();
  /** In the order of their first binding, which is the runtime's. */
  const outputs = new Map<string, Place>();
  /** Runs that are under way or wait. */
  let runs = 0;
  let hasResults = false;
  const binding: NativeBinding = {
    bindInput(name, tensor) {
      assertIdle();
      const native = assertFits(tensor, findSignature(core.inputs, name, 'input'), core.device);
      if (isCopied(native)) native.hold();
      else bind('BindInput', name, native);
      inputs.get(name)?.drop();
      inputs.set(name, native);
    },
    bindOutput(name, tensor) {
      assertIdle();
      const native = assertFits(tensor, findSignature(core.outputs, name, 'output'), core.device);
      bind('BindOutput', name, native);
      setOutput(name, native);
    },
    allocateOutput(name, device = 'cpu') {
      assertIdle();
      findSignature(core.outputs, name, 'output');
      allocate(name, device);
      setOutput(name, device);
    },
    async run(options) {
      handle.assertAlive();
      runs++;
      hasResults = false;
      try {
        await core.run(call, options);
        hasResults = true;
      } finally {
        runs--;
      }
    },
    output: (name) => binding.takeOutputs([name])[0]!,
    takeOutputs(names) {
      const taken = new Map<string, NativeTensor>();
      for (const [name, value] of readOutputs(names)) {
        if (names.includes(name))
          taken.set(name, adopt(value, outputs.get(name) === 'cpu' ? 'cpu' : core.device));
        else api.call('ReleaseValue', value);
      }
      return names.map((name) => taken.get(name)!);
    },
    carry: core.device === 'cpu' ? carry : undefined,
    release() {
      assertIdle();
      binding.free();
      onRelease(binding);
    },
    free() {
      handle.release(core.whenFree);
      for (const tensor of inputs.values()) tensor.drop();
      for (const tensor of outputs.values()) if (typeof tensor !== 'string') tensor.drop();
      inputs.clear();
      outputs.clear();
    },
  };
  return binding;

  /** Without a tensor for each output. Other devices free what an input was tied to only when nothing runs. */
  function carry(carried: readonly Carried[]): void {
    for (const [input] of carried) findSignature(core.inputs, input, 'input');
    for (const [name, value] of readOutputs(carried.map(([, output]) => output))) {
      for (const [input, output] of carried) {
        if (output !== name) continue;
        api.call('BindInput', handle.address, input, value);
        inputs.get(input)?.drop();
        inputs.delete(input);
      }
      api.call('ReleaseValue', value);
    }
  }

  /** Binds first and lets go of what was bound after it, so that nothing changes when the runtime refuses. */
  function bind(way: 'BindInput' | 'BindOutput', name: string, tensor: NativeTensor): void {
    const value = tensor.hold();
    try {
      api.call(way, handle.address, name, value);
    } catch (error) {
      tensor.drop();
      throw error;
    }
  }

  function setOutput(name: string, place: Place): void {
    const previous = outputs.get(name);
    if (previous !== undefined && typeof previous !== 'string') previous.drop();
    outputs.set(name, place);
  }

  function allocate(name: string, device: 'cpu' | 'session'): void {
    const isHere = device === 'cpu' || core.device === 'cpu';
    api.call('BindOutputToDevice', handle.address, name, isHere ? api.cpuMemory : openMemory());
  }

  /** Whether the runtime copies a tensor to the device when it is bound. */
  function isCopied(tensor: NativeTensor): boolean {
    return tensor.device !== core.device;
  }

  function call(inThisThread: boolean): void | Promise<void> {
    prepare();
    const { session, runOptions } = core;
    if (inThisThread) return api.call('RunWithBinding', session, runOptions, handle.address);
    return api.callAsync('RunWithBinding', session, runOptions, handle.address);
  }

  function prepare(): void {
    for (const [name, tensor] of inputs) {
      tensor.assertAttached();
      if (isCopied(tensor)) api.call('BindInput', handle.address, name, tensor.address);
    }
    // The runtime would write into the memory of the last run, whose dimensions may be others.
    for (const [name, place] of outputs) {
      if (typeof place === 'string') allocate(name, place);
      else place.assertAttached();
    }
  }

  /**
   * `OrtValue *` of all bound outputs, which the caller releases.
   * @param wanted those whose memory has to be the runtime's
   */
  function readOutputs(wanted: readonly string[]): (readonly [name: string, value: bigint])[] {
    assertIdle();
    for (const name of wanted) {
      if (typeof outputs.get(name) !== 'string')
        throw new TypeError(`${name}: expected an output whose memory is left to the runtime`);
    }
    if (!hasResults) throw new Error('binding: expected a run that succeeded');
    const list = new BigUint64Array(1);
    const count = new BigUint64Array(1);
    api.call('GetBoundOutputValues', handle.address, api.allocator, list, count);
    const values = new BigUint64Array(api.copyBytes(list[0]!, Number(count[0]) * 8));
    api.call('AllocatorFree', api.allocator, list[0]!);
    return Array.from(outputs.keys(), (name, index) => [name, values[index]!]);
  }

  function assertIdle(): void {
    handle.assertAlive();
    if (runs > 0) throw new Error('binding: a run is under way');
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
