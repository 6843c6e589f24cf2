import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Session, Tensor } from '../../../src/contracts/graph.ts';
import { createNativeSession } from '../../../src/runtime/native/create-native-session.ts';
import type { OnnxSessionOptions } from '../../../src/runtime/session-options.ts';
import { doublingModel } from '../doubling-model.ts';
import { model, node, value } from '../onnx-writer.ts';
import { identityModel, loopingModel } from './graphs.ts';

const sessions: Session[] = [];
const open = async (bytes: string | Uint8Array, options: OnnxSessionOptions = {}) => {
  const session = await createNativeSession(bytes, { threads: 1, ...options });
  sessions.push(session);
  return session;
};
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.release().catch(() => {})));
});
const x = (...values: number[]) =>
  ({ x: { type: 'float32', dims: [values.length], data: Float32Array.from(values) } }) as const;

describe('the native session', () => {
  it.each<Tensor>([
    { type: 'float32', dims: [3], data: Float32Array.of(-0, 1e-45, NaN) },
    { type: 'float64', dims: [2], data: Float64Array.of(Number.MIN_VALUE, -1) },
    { type: 'float16', dims: [3], data: Uint16Array.of(0x3c00, 0x7e00, 1) },
    { type: 'int64', dims: [2], data: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n) },
    { type: 'int32', dims: [2], data: Int32Array.of(-(2 ** 31), 2 ** 31 - 1) },
    { type: 'int16', dims: [2], data: Int16Array.of(-32768, 32767) },
    { type: 'int8', dims: [2], data: Int8Array.of(-128, 127) },
    { type: 'uint16', dims: [2], data: Uint16Array.of(0, 65535) },
    { type: 'uint8', dims: [3], data: Uint8Array.of(0, 7, 255) },
    { type: 'bool', dims: [2], data: Uint8Array.of(1, 0) },
    { type: 'float32', dims: [0], data: new Float32Array(0) },
  ])('gives $type $dims back bit for bit', async (tensor) => {
    const session = await open(identityModel(tensor.type));
    expect(await session.run({ x: tensor })).toEqual({ y: tensor });
  });

  it('reads a tensor that begins inside its buffer', async () => {
    const session = await open(doublingModel());
    const data = Float32Array.of(1, 2, 3, 4).subarray(2);
    expect((await session.run({ x: { type: 'float32', dims: [2], data } }))['y']!.data).toEqual(
      Float32Array.of(6, 8),
    );
  });

  it('can be wrapped by spreading it', async () => {
    const session = { ...(await open(doublingModel())) };
    expect((await session.run(x(4)))['y']!.data[0]).toBe(8);
    await session.release();
    await expect(session.run(x(4))).rejects.toThrow('already released');
  });

  it('gives outputs memory of their own', async () => {
    const session = await open(doublingModel());
    const { y: first } = await session.run(x(1));
    const { y: second } = await session.run(x(2));
    expect([first!.data[0], second!.data[0]]).toEqual([2, 4]);
    expect(second!.data.buffer).not.toBe(first!.data.buffer);
  });

  it.each<[string, object, readonly string[] | undefined, typeof Error, RegExp]>([
    ['a missing input', {}, undefined, Error, /^x: this input is missing$/],
    [
      'another type',
      { x: { type: 'int32', dims: [1], data: Int32Array.of(1) } },
      undefined,
      TypeError,
      /^x: expected float32, got int32$/,
    ],
    [
      'an unknown type',
      { x: { type: 'float32x', dims: [1], data: Int32Array.of(1) } },
      undefined,
      TypeError,
      /float32x/,
    ],
    [
      'another array',
      { x: { type: 'float32', dims: [1], data: Float64Array.of(1) } },
      undefined,
      TypeError,
      /^x: expected Float32Array for float32, got Float64Array$/,
    ],
    ['no array', { x: { type: 'float32', dims: [1], data: [1] } }, undefined, TypeError, /got Array$/],
    [
      'too few elements',
      { x: { type: 'float32', dims: [3], data: Float32Array.of(1) } },
      undefined,
      RangeError,
      /^x: expected 3 elements for \[3\], got 1$/,
    ],
    [
      'too many elements',
      { x: { type: 'float32', dims: [1], data: Float32Array.of(1, 2) } },
      undefined,
      RangeError,
      /got 2$/,
    ],
    [
      'a negative dimension',
      { x: { type: 'float32', dims: [-1], data: Float32Array.of(1) } },
      undefined,
      RangeError,
      /\[-1\]/,
    ],
    [
      'a broken dimension',
      { x: { type: 'float32', dims: [0.5], data: Float32Array.of(1) } },
      undefined,
      RangeError,
      /\[0\.5\]/,
    ],
    [
      'dimensions beyond 2^53',
      { x: { type: 'float32', dims: [2 ** 40, 2 ** 40], data: Float32Array.of(1) } },
      undefined,
      RangeError,
      /too large/,
    ],
    [
      'another rank',
      { x: { type: 'float32', dims: [1, 1], data: Float32Array.of(1) } },
      undefined,
      Error,
      /rank/i,
    ],
    [
      'shared memory',
      { x: { type: 'float32', dims: [1], data: new Float32Array(new SharedArrayBuffer(4)) } },
      undefined,
      TypeError,
      /shared/,
    ],
    [
      'memory that can shrink',
      {
        x: {
          type: 'float32',
          dims: [1],
          data: new Float32Array(new (ArrayBuffer as any)(4, { maxByteLength: 8 })),
        },
      },
      undefined,
      TypeError,
      /resizable/,
    ],
    ['an unknown output', x(1), ['z'], TypeError, /^z: the graph has no such output$/],
  ])('refuses %s and stays usable', async (_, feeds, fetches, type, message) => {
    const session = await open(doublingModel());
    const refused = session.run(feeds as never, fetches);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(type);
    expect((await session.run(x(2)))['y']!.data[0]).toBe(4);
  });

  it('refuses strings by name', async () => {
    const session = await open(identityModel('string'));
    expect(session.inputs[0]!.type).toBe('string');
    const feeds = { x: { type: 'string', dims: [1], data: ['a'] } } as never;
    await expect(session.run(feeds)).rejects.toThrow('x: tensors of string are not supported');
  });

  it('takes a tensor that has lost its memory for what it is', async () => {
    const session = await open(doublingModel());
    const { x: tensor } = x(1);
    structuredClone(tensor.data, { transfer: [tensor.data.buffer] });
    await expect(session.run({ x: tensor })).rejects.toThrow(RangeError);
  });

  it('runs in the order of the calls', async () => {
    const session = await open(loopingModel());
    const done: number[] = [];
    const trips = (count: bigint) => ({ type: 'int64', dims: [], data: BigInt64Array.of(count) }) as const;
    const runs = [20_000n, 1n, 2n].map(async (count, index) => {
      const { y } = await session.run({ trips: trips(count), ...x(0) });
      done.push(index);
      return y!.data[0];
    });
    expect(await Promise.all(runs)).toEqual([20_000, 1, 2]);
    expect(done).toEqual([0, 1, 2]);
  });

  it('waits for runs before it is released, and refuses what comes after', async () => {
    const session = await open(doublingModel());
    const runs = [session.run(x(1)), session.run(x(2))];
    const released = session.release();
    await expect(session.run(x(3))).rejects.toThrow('session: already released');
    expect((await Promise.all(runs)).map(({ y }) => y!.data[0])).toEqual([2, 4]);
    await released;
    await expect(session.run(x(3))).rejects.toThrow('session: already released');
    await expect(session.release()).rejects.toThrow('session: already released');
    expect(() => session.createBinding()).toThrow('session: already released');
    expect(() => session.createTensor(x(1).x)).toThrow('session: already released');
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['a file that is not there', '/nowhere/model.onnx', /nowhere/],
    ['a folder', tmpdir(), /./],
    ['bytes that are no model', Uint8Array.of(1, 2, 3), /protobuf|model/i],
    ['no bytes', new Uint8Array(0), /expected bytes/],
  ])('refuses %s', async (_, given, message) => {
    await expect(open(given)).rejects.toThrow(message);
  });

  it('finds weights in files beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slashv1-'));
    try {
      writeFileSync(join(folder, 'weights.bin'), new Uint8Array(Float32Array.of(10, 20).buffer));
      const external = model({
        name: 'external',
        nodes: [node('Mul', ['x', 'w'], 'y')],
        constants: [externalFloats('w', 2, 'weights.bin')],
        inputs: [value('x', [2])],
        outputs: [value('y', [2])],
      });
      writeFileSync(join(folder, 'möd€l.onnx'), external);
      const fromPath = await open(join(folder, 'möd€l.onnx'));
      const fromBytes = await open(external, { weightsFolder: folder });
      for (const session of [fromPath, fromBytes]) {
        expect((await session.run(x(1, 2)))['y']!.data).toEqual(Float32Array.of(10, 40));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ends a run inside the graph, and is usable afterwards', async () => {
    const session = await open(loopingModel());
    const controller = new AbortController();
    const trips = { type: 'int64', dims: [], data: BigInt64Array.of(2n ** 62n) } as const;
    const endless = session.run({ trips, ...x(0) }, undefined, { signal: controller.signal });
    const next = session.run({ trips: { ...trips, data: BigInt64Array.of(3n) }, ...x(0) });
    setTimeout(() => controller.abort(new Error('the client has gone')), 50);
    await expect(endless).rejects.toThrow('the client has gone');
    expect((await next)['y']!.data[0]).toBe(3);
  });

  it('takes a run out of the queue whose signal fires before its turn', async () => {
    const session = await open(loopingModel());
    const [first, second] = [new AbortController(), new AbortController()];
    const trips = { type: 'int64', dims: [], data: BigInt64Array.of(2n ** 62n) } as const;
    const running = session.run({ trips, ...x(0) }, undefined, { signal: first.signal });
    const waiting = session.run({ trips, ...x(0) }, undefined, { signal: second.signal });
    second.abort();
    setTimeout(() => first.abort(), 20);
    await expect(running).rejects.toThrow('aborted');
    await expect(waiting).rejects.toThrow('aborted');
    await expect(session.run(x(0), undefined, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });

  it('leaves the event loop free while it runs', async () => {
    const session = await open(loopingModel());
    const controller = new AbortController();
    const trips = { type: 'int64', dims: [], data: BigInt64Array.of(2n ** 62n) } as const;
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 20) controller.abort();
    }, 1);
    // Twenty turns of the loop end what would not end by itself.
    await expect(session.run({ trips, ...x(0) }, undefined, controller)).rejects.toThrow('aborted');
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

/** A constant float32 `[count]` whose data is in a file: `TensorProto` with `external_data` and `data_location`. */
function externalFloats(name: string, count: number, location: string): number[] {
  const text = (tag: number, content: string) => [tag, content.length, ...Buffer.from(content)];
  const entry = [...text(0x0a, 'location'), ...text(0x12, location)];
  return [0x08, count, 0x10, 1, ...text(0x42, name), 0x6a, entry.length, ...entry, 0x70, 1];
}
