import { expect, it } from 'vitest';
import { joinRowsModel } from '../../src/core/onnx/tensor-graphs.ts';
import { writeOnnxModel } from '../../src/core/onnx/messages.ts';
import { doublingModel } from '../runtime/doubling-model.ts';
import { createOn, createZeros, zerosOf } from './device-graphs.ts';

const small = [1, 1, 2, 2] as const;

it('content of a device is not read as if it were here', async () => {
  const session = await createZeros();
  const zeros = await zerosOf(session, small);
  expect(zeros.device).toBe('webgpu');
  expect(() => zeros.read()).toThrow('expected memory of this process, got webgpu');
  zeros.release();
  await session.release();
});

it('a graph on the CPU does not take a tensor of the device', async () => {
  const session = await createZeros();
  const zeros = await zerosOf(session, small);
  const cpu = await createOn('cpu', doublingModel());
  const binding = cpu.createBinding();
  expect(() => binding.bindInput('x', zeros)).toThrow('expected memory of cpu, got webgpu');
  zeros.release();
  await cpu.release();
  await session.release();
});

it('a tensor is not used after its release, nor released twice', async () => {
  const session = await createZeros();
  const zeros = await zerosOf(session, small);
  zeros.release();
  expect(() => zeros.release()).toThrow('already released');
  const other = await createOn('webgpu', writeOnnxModel(joinRowsModel(1, 1)));
  expect(() => other.createBinding().bindInput('x0', zeros)).toThrow('already released');
  await other.release();
  await session.release();
});

it('tensors go before their session, also those that were forgotten and those that a binding holds', async () => {
  const session = await createZeros();
  const zeros = await zerosOf(session, [1, 1, 1, 4]);
  await zerosOf(session, small);
  const binding = session.createBinding();
  binding.bindOutput('y', zeros);
  await session.release();
  expect(() => zeros.release()).toThrow('already released');
});

it('sessions of one process that compute, load and free at the same time wait for each other', async () => {
  const sessions = await Promise.all([1, 2, 3, 4].map(() => createOn('webgpu', doublingModel())));
  const zeros = await createZeros();
  const x = { type: 'float32', dims: [1000], data: new Float32Array(1000).fill(3) } as const;
  const stop = new AbortController();
  const runs = sessions.map(async (session) => {
    let last = 0;
    while (!stop.signal.aborted) last = Number((await session.run({ x }))['y']!.data.at(-1));
    return last;
  });
  for (let round = 0; round < 50; round++) {
    const tensor = await zerosOf(zeros, [1, 1, 64, 64]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    tensor.release();
    if (round % 10 === 0) await (await createOn('webgpu', doublingModel())).release();
  }
  stop.abort();
  expect(await Promise.all(runs)).toEqual([6, 6, 6, 6]);
  await Promise.all([...sessions, zeros].map((session) => session.release()));
});

it('released tensors give their memory back', async () => {
  const session = await createZeros();
  const megabytes = () => process.memoryUsage().rss / 2 ** 20;
  (await zerosOf(session, [1, 2, 1024, 64])).release();
  const before = megabytes();
  for (let round = 0; round < 300; round++) (await zerosOf(session, [1, 2, 1024, 64])).release();
  // They are 150 MB together.
  expect(megabytes() - before).toBeLessThan(75);
  await session.release();
});
