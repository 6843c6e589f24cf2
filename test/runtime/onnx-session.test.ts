import { describe, expect, it } from 'vitest';
import { extendGraph, onnxElementType } from '../../src/runtime/graph-extension.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { doublingModel } from './doubling-model.ts';

describe('extendGraph', () => {
  it('adds nodes, constants and outputs to a model that runs', async () => {
    const extended = extendGraph(doublingModel(), {
      constants: { start: [-1], end: [2n ** 63n - 1n], axis: [0] },
      nodes: [{ operator: 'Slice', inputs: ['y', 'start', 'end', 'axis'], output: 'last' }],
      outputs: [{ name: 'last', elementType: onnxElementType.float32 }],
    });
    const session = await createOnnxSession(extended, { threads: 1 });
    expect(session.outputs.map(({ name }) => name)).toEqual(['y', 'last']);
    const feeds = { x: { type: 'float32', dims: [3], data: Float32Array.of(1, 2, 3) } } as const;
    const { y, last } = await session.run(feeds);
    expect([...y!.data]).toEqual([2, 4, 6]);
    expect([...last!.data]).toEqual([6]);
    expect(Object.keys(await session.run(feeds, ['last']))).toEqual(['last']);
    await session.release();
  });

  it('leaves the bytes of the model as they are', () => {
    const model = doublingModel();
    const extended = extendGraph(model, { constants: {}, nodes: [], outputs: [] });
    expect([...extended.subarray(0, model.length)]).toEqual([...model]);
  });
});

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
