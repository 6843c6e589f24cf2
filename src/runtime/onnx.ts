import { availableParallelism } from 'node:os';
import * as onnxruntime from 'onnxruntime-node';
import type { ElementType, Session, Tensor, TensorMap, TensorSignature } from './contract.ts';

export interface OnnxSessionOptions {
  /** Default `cpu`. A device that doesn't work here makes the creation fail; nothing falls back by itself. */
  readonly device?: 'cpu' | 'webgpu' | 'cuda' | 'dml' | 'coreml' | undefined;
  /** Threads of one operator; default cores − 1, at least 1, so that the host keeps a core. */
  readonly threads?: number | undefined;
}

/**
 * Loads an ONNX model in this process.
 *
 * Loading and running block the calling thread for as long as they take, so a service does this in a worker process.
 *
 * @param model path of the file, or its bytes
 * @throws Error when the bytes are no valid model or the device can't run it
 */
export async function createOnnxSession(
  model: string | Uint8Array,
  { device = 'cpu', threads = Math.max(1, availableParallelism() - 1) }: OnnxSessionOptions = {},
): Promise<Session> {
  const options: onnxruntime.InferenceSession.SessionOptions = {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
    // A spinning thread takes its core from the host while it waits for the next run.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const session =
    typeof model === 'string'
      ? await onnxruntime.InferenceSession.create(model, options)
      : await onnxruntime.InferenceSession.create(model, options);
  return {
    inputs: session.inputMetadata.map(toSignature),
    outputs: session.outputMetadata.map(toSignature),
    async run(feeds, fetches) {
      const tensors: Record<string, onnxruntime.Tensor> = {};
      for (const name in feeds) tensors[name] = toNative(feeds[name]!);
      const outputs = fetches ? await session.run(tensors, fetches) : await session.run(tensors);
      return outputs as unknown as TensorMap;
    },
    release: () => session.release(),
  };
}

/** Tensors that are fed again and again are wrapped once. */
const natives = new WeakMap<Tensor, onnxruntime.Tensor>();

function toNative(tensor: Tensor): onnxruntime.Tensor {
  let native = natives.get(tensor);
  if (!native) {
    native = new onnxruntime.Tensor(tensor.type, tensor.data as never, tensor.dims) as onnxruntime.Tensor;
    natives.set(tensor, native);
  }
  return native;
}

function toSignature(metadata: onnxruntime.InferenceSession.ValueMetadata): TensorSignature {
  if (!metadata.isTensor)
    throw new Error(`${metadata.name}: only tensors are supported as inputs and outputs`);
  return { name: metadata.name, type: metadata.type as ElementType, dims: metadata.shape };
}
