import { afterEach, describe, expect, it } from 'vitest';
import type { BindableSession, ElementType } from '../../../src/contracts/graph.ts';
import { isBindable } from '../../../src/runtime/bound-graph.ts';
import { createNativeSession } from '../../../src/runtime/native/create-native-session.ts';
import { createBindingSession } from '../../../src/runtime/onnxruntime-node.ts';
import { doublingModel } from '../doubling-model.ts';
import { accumulatingModel, identityModel, loopingModel } from './graphs.ts';

const sessions: BindableSession[] = [];
const open = async (bytes: Uint8Array) => {
  const session = await createNativeSession(bytes, { threads: 1 });
  sessions.push(session);
  return session;
};
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.release().catch(() => {})));
});

function floats(session: BindableSession, dims: readonly number[], values: readonly number[]) {
  const data = Float32Array.from(values);
  return { data, tensor: session.createTensor({ type: 'float32', dims, data }) };
}

async function accumulator() {
  const session = await open(accumulatingModel());
  const past = floats(session, [2, 2], [0, 0, 0, 0]);
  const x = floats(session, [2, 2], [1, 2, 3, 4]);
  const binding = session.createBinding();
  binding.bindInput('past', past.tensor);
  binding.bindInput('x', x.tensor);
  binding.bindOutput('sum', past.tensor);
  return { session, past, x, binding };
}

describe('isBindable', () => {
  it('tells the runtimes apart', async () => {
    expect(isBindable(await open(doublingModel()))).toBe(true);
    const other = await createBindingSession(doublingModel(), { threads: 1 });
    expect(isBindable(other)).toBe(false);
    await other.release();
  });
});

describe('a binding', () => {
  it('runs again and again over the same memory, which may be input and output', async () => {
    const { binding, past, x } = await accumulator();
    await binding.run();
    expect([...past.data]).toEqual([1, 2, 3, 4]);
    await binding.run();
    x.data.fill(10);
    await binding.run();
    expect([...past.data]).toEqual([12, 14, 16, 18]);
  });

  it('writes nothing that is not bound', async () => {
    const session = await open(accumulatingModel());
    const binding = session.createBinding();
    const past = floats(session, [2, 1], [0, 0]);
    binding.bindInput('past', past.tensor);
    binding.bindInput('x', floats(session, [2, 1], [1, 1]).tensor);
    binding.allocateOutput('flat');
    await binding.run();
    expect([...past.data]).toEqual([0, 0]);
  });

  it('allocates outputs whose size only a run knows, at every run anew', async () => {
    const { binding, x } = await accumulator();
    binding.allocateOutput('flat');
    await binding.run();
    const first = binding.output('flat');
    expect(first.dims).toEqual([2, 4]);
    x.data.set([0, 5, 0, 0]);
    await binding.run();
    const second = binding.output('flat');
    expect(second.read()).toEqual({ type: 'int64', dims: [2, 1], data: BigInt64Array.of(0n, 1n) });
    expect([...first.read().data]).toEqual([0n, 0n, 1n, 1n, 0n, 1n, 0n, 1n]);
    x.data.fill(0);
    await binding.run();
    expect(binding.output('flat').read()).toEqual({
      type: 'int64',
      dims: [2, 0],
      data: new BigInt64Array(0),
    });
    first.release();
    second.release();
    expect(() => second.read()).toThrow('tensor: already released');
  });

  it('takes other inputs, and outputs of one run as inputs of the next', async () => {
    const session = await open(doublingModel());
    const binding = session.createBinding();
    binding.bindInput('x', floats(session, [3], [1, 2, 3]).tensor);
    binding.allocateOutput('y');
    for (let run = 0; run < 3; run++) {
      await binding.run();
      const y = binding.output('y');
      expect(y.data).toBeUndefined();
      binding.bindInput('x', y);
      y.release();
    }
    await binding.run();
    expect([...binding.output('y').read().data]).toEqual([16, 32, 48]);
  });

  it('carries outputs into its inputs, as often as it runs, and takes an array again afterwards', async () => {
    const session = await open(accumulatingModel());
    const binding = session.createBinding();
    const past = floats(session, [2, 1], [0, 0]).tensor;
    binding.bindInput('past', past);
    binding.bindInput('x', floats(session, [2, 1], [1, 2]).tensor);
    binding.allocateOutput('sum');
    expect(() => binding.carry!([['past', 'sum']])).toThrow('binding: expected a run that succeeded');
    for (let run = 0; run < 3; run++) {
      await binding.run();
      binding.carry!([['past', 'sum']]);
    }
    await binding.run();
    expect([...binding.output('sum').read().data]).toEqual([4, 8]);
    binding.bindInput('past', past);
    await binding.run();
    expect([...binding.output('sum').read().data]).toEqual([1, 2]);
    expect(() => binding.carry!([['past', 'flat']])).toThrow('flat: expected an output whose memory');
    expect(() => binding.carry!([['none', 'sum']])).toThrow('none: the graph has no such input');
    binding.allocateOutput('flat');
    await binding.run();
    binding.carry!([['x', 'flat']]);
    await expect(binding.run()).rejects.toThrow('expected: (tensor(float))');
  });

  it.each<[ElementType, any, any]>([
    ['float16', Uint16Array.of(0x3c00, 0x4000), new Uint16Array(2)],
    ['uint8', Uint8Array.of(3, 255), new Uint8Array(2)],
    ['bool', Uint8Array.of(1, 0), new Uint8Array(2)],
    ['int64', BigInt64Array.of(-1n, 5n), new BigInt64Array(2)],
  ])('binds %s', async (type, from, to) => {
    const session = await open(identityModel(type as 'float16'));
    const binding = session.createBinding();
    binding.bindInput('x', session.createTensor({ type, dims: [2], data: from }));
    binding.bindOutput('y', session.createTensor({ type, dims: [2], data: to }));
    await binding.run();
    expect(to).toEqual(from);
  });

  it('computes in memory of the runtime', async () => {
    const session = await open(doublingModel());
    const binding = session.createBinding();
    binding.bindInput('x', floats(session, [2], [1, 2]).tensor);
    binding.allocateOutput('y', 'session');
    await binding.run();
    const middle = binding.output('y');
    binding.bindInput('x', middle);
    await binding.run();
    expect([...binding.output('y').read().data]).toEqual([4, 8]);
    middle.release();
  });

  it('refuses what does not fit before the runtime sees it', async () => {
    const { session, binding, past } = await accumulator();
    const long = session.createTensor({ type: 'int64', dims: [2, 2], data: new BigInt64Array(4) });
    const wide = floats(session, [3, 2], [0, 0, 0, 0, 0, 0]).tensor;
    const flat = floats(session, [4], [0, 0, 0, 0]).tensor;
    expect(() => binding.bindInput('z', past.tensor)).toThrow('z: the graph has no such input');
    expect(() => binding.bindOutput('x', past.tensor)).toThrow('x: the graph has no such output');
    expect(() => binding.allocateOutput('x')).toThrow('x: the graph has no such output');
    expect(() => binding.bindInput('x', long)).toThrow('x: expected float32, got int64');
    expect(() => binding.bindInput('x', wide)).toThrow('x: expected [2, n], got [3, 2]');
    expect(() => binding.bindOutput('sum', flat)).toThrow('sum: expected [2, n], got [4]');
    expect(() => binding.bindInput('x', { ...past.tensor } as never)).toThrow(
      'expected a tensor that a session made',
    );
    expect(() => binding.output('sum')).toThrow('expected an output whose memory is left to the runtime');
    await binding.run();
    expect([...past.data]).toEqual([1, 2, 3, 4]);
  });

  it('stays usable after the runtime refused a run', async () => {
    const { session, binding, past, x } = await accumulator();
    binding.bindInput('x', floats(session, [2, 3], [1, 1, 1, 1, 1, 1]).tensor);
    binding.allocateOutput('flat');
    await expect(binding.run()).rejects.toThrow(/broadcast|dimension/i);
    expect(() => binding.output('flat')).toThrow('expected a run that succeeded');
    binding.bindInput('x', x.tensor);
    await binding.run();
    expect([...past.data]).toEqual([1, 2, 3, 4]);
  });

  it('refuses an output whose dimensions are not those of the run', async () => {
    const session = await open(doublingModel());
    const binding = session.createBinding();
    const small = floats(session, [2], [7, 7]);
    const guard = floats(session, [4], [9, 9, 9, 9]);
    binding.bindInput('x', floats(session, [3], [1, 2, 3]).tensor);
    binding.bindOutput('y', small.tensor);
    await expect(binding.run()).rejects.toThrow(/shape/i);
    expect([...small.data, ...guard.data]).toEqual([7, 7, 9, 9, 9, 9]);
  });

  it('says which input is missing', async () => {
    const session = await open(accumulatingModel());
    const binding = session.createBinding();
    binding.allocateOutput('sum');
    await expect(binding.run()).rejects.toThrow(/past|x/);
  });

  it('refuses a run over memory that was transferred away', async () => {
    const { binding, x } = await accumulator();
    structuredClone(x.data, { transfer: [x.data.buffer] });
    await expect(binding.run()).rejects.toThrow('transferred away');
    expect(() => x.tensor.read()).toThrow('transferred away');
  });

  it('keeps released tensors until something else is bound', async () => {
    const { session, binding, past, x } = await accumulator();
    x.tensor.release();
    past.tensor.release();
    await binding.run();
    expect([...past.data]).toEqual([1, 2, 3, 4]);
    expect(() => binding.bindInput('x', x.tensor)).toThrow('tensor: already released');
    expect(() => x.tensor.release()).toThrow('tensor: already released');
    binding.bindInput('x', floats(session, [2, 2], [1, 1, 1, 1]).tensor);
    await binding.run();
    expect([...past.data]).toEqual([2, 3, 4, 5]);
  });

  it('cannot be changed or released while it runs', async () => {
    const { binding, past } = await accumulator();
    const running = binding.run();
    expect(() => binding.bindInput('x', past.tensor)).toThrow('a run is under way');
    expect(() => binding.bindOutput('sum', past.tensor)).toThrow('a run is under way');
    expect(() => binding.allocateOutput('flat')).toThrow('a run is under way');
    expect(() => binding.release()).toThrow('a run is under way');
    await running;
    binding.release();
    expect(() => binding.release()).toThrow('binding: already released');
    await expect(binding.run()).rejects.toThrow('binding: already released');
    expect(() => binding.bindInput('x', past.tensor)).toThrow('binding: already released');
  });

  it('takes many runs at once, one after the other', async () => {
    const { binding, past } = await accumulator();
    await Promise.all(Array.from({ length: 50 }, () => binding.run()));
    expect([...past.data]).toEqual([50, 100, 150, 200]);
  });

  it('is released with its session, which waits for its runs', async () => {
    const { session, binding, past } = await accumulator();
    const running = binding.run();
    await session.release();
    await running;
    expect([...past.data]).toEqual([1, 2, 3, 4]);
    await expect(binding.run()).rejects.toThrow('already released');
    expect(() => past.tensor.read()).toThrow('already released');
  });

  it('may outlive the session whose tensors it holds', async () => {
    const [maker, user] = [await open(doublingModel()), await open(doublingModel())];
    const binding = user.createBinding();
    const { tensor, data } = floats(maker, [2], [0, 0]);
    const filling = maker.createBinding();
    filling.bindInput('x', floats(maker, [2], [1, 2]).tensor);
    filling.allocateOutput('y', 'session');
    await filling.run();
    const made = filling.output('y');
    binding.bindInput('x', made);
    binding.bindOutput('y', tensor);
    await maker.release();
    await binding.run();
    expect([...data]).toEqual([4, 8]);
    await user.release();
  });

  it('ends inside the graph when its signal fires', async () => {
    const session = await open(loopingModel());
    const binding = session.createBinding();
    const trips = BigInt64Array.of(2n ** 62n);
    const y = floats(session, [1], [0]);
    binding.bindInput('trips', session.createTensor({ type: 'int64', dims: [], data: trips }));
    binding.bindInput('x', floats(session, [1], [0]).tensor);
    binding.bindOutput('y', y.tensor);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    await expect(binding.run(controller)).rejects.toThrow('aborted');
    trips[0] = 5n;
    await binding.run({ signal: new AbortController().signal });
    expect(y.data[0]).toBe(5);
  });
});
