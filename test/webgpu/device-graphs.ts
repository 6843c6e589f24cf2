import { zerosModel } from '../../src/core/onnx/tensor-graphs.ts';
import { writeOnnxModel } from '../../src/core/onnx/messages.ts';
import type { BindableSession, ResidentTensor } from '../../src/contracts/graph.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';

export async function createOn(device: 'cpu' | 'webgpu', model: Uint8Array): Promise<BindableSession> {
  return (await createOnnxSession(model, { device, threads: 1, runtime: 'native' })) as BindableSession;
}

/** A session on the device that makes zeros. */
export const createZeros = (): Promise<BindableSession> => createOn('webgpu', writeOnnxModel(zerosModel(1)));

/** Zeros on the device. */
export async function zerosOf(
  session: BindableSession,
  dims: readonly [number, number, number, number],
): Promise<ResidentTensor> {
  const shape = session.createTensor({ type: 'int64', dims: [4], data: BigInt64Array.from(dims, BigInt) });
  const binding = session.createBinding();
  binding.bindInput('shape', shape);
  binding.allocateOutput('y', 'session');
  await binding.run();
  const zeros = binding.output('y');
  binding.release();
  shape.release();
  return zeros;
}
