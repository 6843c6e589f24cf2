import { describe, expect, it } from 'vitest';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { doublingModel } from './doubling-model.ts';

describe('createOnnxSession', () => {
  it('tells names, types and shapes', async () => {
    const session = await createOnnxSession(doublingModel());
    expect(session.inputs).toEqual([{ name: 'x', type: 'float32', dims: ['n'] }]);
    await session.release();
  });

  it('stays usable after tensors that do not fit', async () => {
    const session = await createOnnxSession(doublingModel());
    const wrong = { x: { type: 'int64', dims: [1], data: BigInt64Array.of(1n) } } as const;
    await expect(session.run(wrong)).rejects.toThrow(/int64|type/i);
    const right = { x: { type: 'float32', dims: [1], data: Float32Array.of(4) } } as const;
    expect([...(await session.run(right))['y']!.data]).toEqual([8]);
    await session.release();
  });

  it('refuses bytes that are no model', async () => {
    await expect(createOnnxSession(Uint8Array.of(1, 2, 3))).rejects.toThrow();
  });

  it('refuses a device that does not work here instead of falling back', async () => {
    await expect(createOnnxSession(doublingModel(), { device: 'coreml' })).rejects.toThrow();
  });
});
