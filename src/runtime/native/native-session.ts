import type { BindableSession } from '../../contracts/graph.ts';
import { openMemory } from './device-memory.ts';
import { runGraph } from './graph-runner.ts';
import type { Handle } from './handle.ts';
import { NativeBinding } from './native-binding.ts';
import { NativeTensor, shapeOf, wrapTensor, type NativeTensorParts } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

/** A graph in the native runtime; owns its bindings and tensors. Wrappers can spread it. */
export function toNativeSession(core: SessionCore): BindableSession {
  const { api, device, inputs, outputs } = core;
  const bindings = new Set<NativeBinding>();
  const tensors = new Set<NativeTensor>();
  let memory: Handle | undefined;
  let isReleased = false;

  /** Memory of the runtime goes before the session, and bindings of other sessions may still hold some. */
  const freeIfUnused = (): void => {
    if (!isReleased || [...tensors].some(({ data }) => data === undefined)) return;
    isReleased = false;
    memory?.release();
    core.free();
  };
  const keep = (parts: Omit<NativeTensorParts, 'onFree' | 'whenFree'>): NativeTensor => {
    const onFree = (freed: NativeTensor): void => {
      tensors.delete(freed);
      freeIfUnused();
    };
    const tensor = new NativeTensor(api, { ...parts, whenFree: core.whenFree, onFree });
    tensors.add(tensor);
    return tensor;
  };

  return {
    inputs,
    outputs,
    device,
    async run(feeds, fetches = outputs.map(({ name }) => name), options) {
      return core.run((inThisThread) => runGraph(core, feeds, fetches, inThisThread), options);
    },
    createTensor(tensor) {
      core.assertOpen();
      const { type, dims, data } = tensor;
      return keep({ value: wrapTensor(api, tensor, 'tensor'), type, dims: [...dims], device: 'cpu', data });
    },
    createBinding() {
      core.assertOpen();
      const binding = new NativeBinding({
        core,
        openMemory: () => (memory ??= openMemory(api, device)).address,
        adopt: (value, place) => keep({ value, ...shapeOf(api, value), device: place }),
        onRelease: (released) => bindings.delete(released),
      });
      bindings.add(binding);
      return binding;
    },
    async release() {
      await core.close();
      for (const binding of bindings) binding.free();
      for (const tensor of tensors) if (!tensor.isReleased) tensor.release();
      isReleased = true;
      freeIfUnused();
      await core.idle();
    },
  };
}
