import * as onnxruntime from 'onnxruntime-node';
import { getOrCreate } from '../core/get-or-create.ts';
import type { ElementType, Session, Tensor, TensorData, TensorSignature } from '../contracts/graph.ts';
import { toConfigurationEntries, type OnnxSessionOptions, defaultThreads } from './session-options.ts';

/**
 * Loads an ONNX model with the binding of `onnxruntime-node`. Loading and running block the calling thread, so a
 * service does this in a worker process.
 * @param model path of the file, or its bytes
 */
export async function createBindingSession(
  model: string | Uint8Array,
  options: OnnxSessionOptions = {},
): Promise<Session> {
  const { device = 'cpu', threads = defaultThreads() } = options;
  const bindingOptions: onnxruntime.InferenceSession.SessionOptions = {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
    graphOptimizationLevel: 'all',
    extra: toConfigurationEntries(options),
  };
  // The types have separate signatures.
  const session = await onnxruntime.InferenceSession.create(model as string, bindingOptions);
  return {
    inputs: session.inputMetadata.map(toSignature),
    outputs: session.outputMetadata.map(toSignature),
    async run(feeds, fetches, { signal } = {}) {
      signal?.throwIfAborted();
      const tensors: Record<string, onnxruntime.Tensor> = {};
      for (const name in feeds) tensors[name] = toNative(feeds[name]!);
      const outputs = fetches ? await session.run(tensors, fetches) : await session.run(tensors);
      return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, toTensor(output)]));
    },
    release: () => session.release(),
  };
}

/** Tensors that are fed repeatedly are wrapped once. */
const natives = new WeakMap<Tensor, onnxruntime.Tensor>();

function toNative(tensor: Tensor): onnxruntime.Tensor {
  const { type, data, dims } = tensor;
  const native = getOrCreate(
    natives,
    tensor,
    () => new onnxruntime.Tensor(type, data as never, dims) as onnxruntime.Tensor,
  );
  // Newer engines convert the bits of half precision to an array that the binding can't read; and the caller may have
  // replaced a tensor's data.
  if (native.data !== data) Object.defineProperty(native, 'data', { value: data, configurable: true });
  return native;
}

/** Some engines return half precision as Float16Array; here it is always bits. */
function toTensor({ type, dims, data }: onnxruntime.Tensor): Tensor {
  const isHalf = type === 'float16' && !(data instanceof Uint16Array);
  const { buffer, byteOffset, length } = data as unknown as Uint16Array;
  const bits = isHalf ? new Uint16Array(buffer, byteOffset, length) : data;
  return { type: type as ElementType, dims, data: bits as TensorData };
}

function toSignature(metadata: onnxruntime.InferenceSession.ValueMetadata): TensorSignature {
  if (!metadata.isTensor)
    throw new Error(`${metadata.name}: only tensors are supported as inputs and outputs`);
  return { name: metadata.name, type: metadata.type as ElementType, dims: metadata.shape };
}
