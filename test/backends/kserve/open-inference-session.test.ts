import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InferenceError } from '../../../src/errors.ts';
import type { Session, Tensor, TensorMap } from '../../../src/contracts/graph.ts';
import {
  openInferenceSession,
  type OpenInferenceOptions,
} from '../../../src/backends/kserve/open-inference-session.ts';
import { graphServers } from '../../../src/backends/kserve/sessions.ts';
import { json, scriptedServer } from '../scripted-server.ts';
import { startInferenceServer } from './inference-server.ts';

/** A graph on one server. */
const openSession = ({ url, ...options }: Omit<OpenInferenceOptions, 'servers'> & { url: string }) =>
  openInferenceSession({ ...options, servers: graphServers({ url }) });

const everyType: Readonly<Record<string, Tensor>> = {
  a: { type: 'float32', dims: [2, 1], data: Float32Array.of(1.5, -2) },
  b: { type: 'int64', dims: [3], data: BigInt64Array.of(1n, -5n, 2n ** 40n) },
  c: { type: 'bool', dims: [1, 3], data: Uint8Array.of(1, 0, 1) },
  d: { type: 'uint8', dims: [1], data: Uint8Array.of(255) },
  e: { type: 'int32', dims: [0], data: new Int32Array(0) },
  f: { type: 'float64', dims: [], data: Float64Array.of(0.1) },
};

/** A graph whose outputs are its inputs. */
function mirror(tensors: TensorMap): Session {
  const signatures = Object.entries(tensors).map(([name, { type, dims }]) => ({
    name,
    type,
    dims: dims.map((size) => (size === 1 ? 1 : 'n')),
  }));
  return {
    inputs: signatures,
    outputs: signatures,
    run: async (feeds, fetches) => Object.fromEntries(fetches!.map((name) => [name, feeds[name]!])),
    release: async () => {},
  };
}

async function open(tensors: TensorMap, isBinary: boolean) {
  const server = await startInferenceServer({ 'my graph': mirror(tensors) }, { isBinary });
  onTestFinished(() => server.close());
  const session = await openSession({ url: `${server.url}/`, model: 'my graph' });
  return { session, server };
}

describe.each([
  ['bytes', true],
  ['JSON', false],
])('a graph on another machine, tensors as %s', (_name, isBinary) => {
  it('takes and gives every type', async () => {
    const { session, server } = await open(everyType, isBinary);
    expect(await session.run(everyType)).toEqual(everyType);
    expect(server.contentTypes).toEqual([isBinary ? 'application/octet-stream' : 'application/json']);
  });

  it('gives the outputs that are asked for', async () => {
    const { session } = await open(everyType, isBinary);
    expect(await session.run(everyType, ['d', 'a'])).toEqual({ d: everyType['d'], a: everyType['a'] });
  });

  it('says what it takes', async () => {
    const { session } = await open(everyType, isBinary);
    expect(session.inputs.slice(0, 2)).toEqual([
      { name: 'a', type: 'float32', dims: ['a_0', 1] },
      { name: 'b', type: 'int64', dims: ['b_0'] },
    ]);
  });

  it('refuses what does not fit, and stays usable', async () => {
    const { session } = await open({ a: everyType['a']! }, isBinary);
    await expect(session.run({})).rejects.toThrow('a: expected FP32, got nothing');
    await expect(session.run({ a: everyType['b']! })).rejects.toThrow('a: expected FP32, got int64');
    await expect(session.run({ a: everyType['a']! }, ['z'])).rejects.toThrow(
      'z: the graph has no such output',
    );
    expect(await session.run({ a: everyType['a']! })).toEqual({ a: everyType['a'] });
  });
});

it('sends float16 as bytes alone', async () => {
  const half = { h: { type: 'float16', dims: [2], data: Uint16Array.of(15360, 1) } } as const;
  const { session } = await open(half, true);
  expect(await session.run(half)).toEqual(half);
  const { session: slow } = await open(half, false);
  await expect(slow.run(half)).rejects.toThrow('float16 needs a server that knows binary_tensor_data');
});

describe('a server that fails', () => {
  const fp32 = [{ name: 'a', datatype: 'FP32', shape: [-1] }];
  const feeds = { a: { type: 'float32', dims: [1], data: Float32Array.of(1) } } as const;

  async function serving(
    answer: { status?: number; body: unknown },
    signatures: unknown = { inputs: fp32, outputs: fp32 },
  ): Promise<Session> {
    const { origin } = await scriptedServer(({ url }, response) => {
      if (url === '/v2') return json(response, {});
      if (url === '/v2/models/a') return json(response, signatures);
      return json(response, answer.body, answer.status);
    });
    return openSession({ url: origin, model: 'a', timeoutMs: 2000 });
  }

  it('has no such graph', async () => {
    const server = await startInferenceServer({}, { isBinary: true });
    onTestFinished(() => server.close());
    await expect(openSession({ url: server.url, model: 'none', startTimeoutMs: 0 })).rejects.toMatchObject({
      code: 'worker_failed',
      param: 'backend',
      message: expect.stringContaining("unknown model 'none'"),
    });
  });

  it('is not ready', async () => {
    const { origin } = await scriptedServer((_asked, response) => json(response, { error: 'loading' }, 503));
    await expect(openSession({ url: origin, model: 'a', startTimeoutMs: 0 })).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('503: loading'),
    });
  });

  it('is waited for while it starts', async () => {
    let asks = 0;
    const { origin } = await scriptedServer(({ url }, response) =>
      url.startsWith('/v2/health') || ++asks === 1
        ? json(response, { error: 'loading' }, 503)
        : json(response, { inputs: fp32, outputs: fp32 }),
    );
    const { inputs } = await openSession({ url: origin, model: 'a' });
    expect(inputs).toHaveLength(1);
    expect(asks).toBe(3);
  });

  it.each([401, 403, 404, 408, 429])('is waited for while it answers %i', async (status) => {
    let asks = 0;
    const { origin } = await scriptedServer(({ url }, response) =>
      url.startsWith('/v2/health') || ++asks > 1
        ? json(response, { inputs: fp32, outputs: fp32 })
        : json(response, { error: 'not yet' }, status),
    );
    const { inputs } = await openSession({ url: origin, model: 'a' });
    expect(inputs).toHaveLength(1);
  });

  it('need not describe its graph, nor list that it takes bytes', async () => {
    const contentTypes: unknown[] = [];
    const { origin } = await scriptedServer(({ url, headers }, response) => {
      if (!url.endsWith('/infer')) return json(response, {}, 404);
      contentTypes.push(headers['content-type']);
      return json(response, { outputs: [{ name: 'a', datatype: 'FP32', shape: [1], data: [2] }] });
    });
    const signature = { inputs: fp32, outputs: fp32 };
    const session = await openSession({ url: origin, model: 'a', signature, binary: true });
    expect(await session.run(feeds)).toEqual({ a: { ...feeds.a, data: Float32Array.of(2) } });
    expect(contentTypes).toEqual(['application/octet-stream']);
  });

  it('is replaced by another', async () => {
    const broken = await scriptedServer(({ url }, response) =>
      json(response, { inputs: fp32, outputs: fp32 }, url.endsWith('/infer') ? 500 : 200),
    );
    const fine = await scriptedServer(({ url }, response) =>
      json(
        response,
        url.endsWith('/infer')
          ? { outputs: [{ name: 'a', datatype: 'FP32', shape: [1], data: [2] }] }
          : { inputs: fp32, outputs: fp32 },
      ),
    );
    const servers = graphServers({ upstreams: [{ url: broken.origin }, { url: fine.origin }] });
    onTestFinished(() => servers.close());
    const session = await openInferenceSession({ servers, model: 'a' });
    const runs = await Promise.all(Array.from({ length: 6 }, () => session.run(feeds)));
    expect(runs.map((run) => run['a']!.data)).toEqual(runs.map(() => Float32Array.of(2)));
    expect(broken.asked.filter(({ url }) => url.endsWith('/infer'))).toHaveLength(3);
    expect(servers.status).toMatchObject([
      { failures: 3, isHealthy: false },
      { failures: 0, isHealthy: true },
    ]);
  });

  it('is not there', async () => {
    const server = await startInferenceServer({}, { isBinary: true });
    server.close();
    await expect(openSession({ url: server.url, model: 'a', startTimeoutMs: 0 })).rejects.toMatchObject({
      code: 'worker_failed',
      message: "The graph server can't be used: ECONNREFUSED.",
    });
  });

  it('has types that are none', async () => {
    await expect(
      serving({ body: {} }, { inputs: [{ name: 'a', datatype: 'BYTES', shape: [1] }] }),
    ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('"a" is "BYTES"') });
  });

  it.each([
    [null, 'a JSON object'],
    ['text', 'a JSON object'],
    [{ inputs: 5 }, 'inputs as an array'],
    [{ inputs: [null] }, 'expected one of'],
    [{ inputs: [{ name: 'a', datatype: 'toString', shape: [1] }] }, '"a" is "toString"'],
    [{ outputs: [{ name: 'a', datatype: 'FP32' }] }, 'outputs with a name and a shape'],
    [{ outputs: [{ name: 'a', datatype: 'FP32', shape: ['b'] }] }, 'outputs with a name and a shape'],
  ])('describes its graph as %o', async (signatures, message) => {
    await expect(serving({ body: {} }, signatures)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'backend',
      message: expect.stringContaining(message),
    });
  });

  it('describes its graph without an end', async () => {
    const { origin } = await scriptedServer((_asked, response) => {
      response.write('"'.padEnd(2 ** 21, 'x'));
    });
    await expect(openSession({ url: origin, model: 'a', startTimeoutMs: 0 })).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('more than 1048576 bytes'),
    });
  });

  it.each([
    [500, { error: 'out of memory' }, 'worker_failed', 'answered 500'],
    [503, { error: 'loading' }, 'overloaded', 'answered 503'],
    [200, { outputs: [] }, 'worker_failed', 'left out the output a'],
    [
      200,
      { outputs: [{ name: 'a', datatype: 'FP32', shape: [2], data: [1] }] },
      'worker_failed',
      '1 elements',
    ],
    [
      200,
      { outputs: [{ name: 'a', datatype: 'BYTES', shape: [1], data: ['x'] }] },
      'worker_failed',
      'a is BYTES',
    ],
    [200, { outputs: [{ ...fp32[0], parameters: { binary_data_size: 4 } }] }, 'worker_failed', 'cut off'],
    [200, { outputs: [{ ...fp32[0], parameters: { binary_data_size: -4 } }] }, 'worker_failed', '-4 bytes'],
    [200, { outputs: [{ ...fp32[0], datatype: 'toString' }] }, 'worker_failed', 'a is toString'],
    [
      200,
      { outputs: [{ ...fp32[0], shape: [1], datatype: 'INT32', data: [1] }] },
      'worker_failed',
      'a as INT32',
    ],
    [200, { outputs: [{ ...fp32[0], shape: [-1, -1], data: [1] }] }, 'worker_failed', 'shape [-1,-1]'],
    [200, { outputs: [{ ...fp32[0], shape: [0.5, 2], data: [1] }] }, 'worker_failed', 'shape [0.5,2]'],
    [200, { outputs: [{ ...fp32[0], shape: undefined, data: [1] }] }, 'worker_failed', 'shape undefined'],
    [200, null, 'worker_failed', 'a JSON object'],
    [200, 'nonsense', 'worker_failed', ''],
  ])('answers a run with %i %o', async (status, body, code, reason) => {
    const session = await serving({ status, body });
    const error = (await session.run(feeds).catch((thrown: unknown) => thrown)) as InferenceError;
    expect(error.code).toBe(code);
    const { message } = error.cause as Error;
    expect(status === 200 ? message : error.message).toContain(reason);
    // Clients are told nothing of the graph.
    if (status === 200) expect(error.message).toBe("The graph server's answer can't be read.");
  });

  it.each([
    ['a description', '/v2/models/a', 'a JSON object'],
    ['outputs', '/v2/models/a/infer', "can't be read"],
  ])('nests its answer deeply: %s, which is not parsed', async (_, path, message) => {
    const deep = `{"outputs":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    const { origin } = await scriptedServer(({ url }, response) => {
      if (url === path) response.writeHead(200, { 'content-type': 'application/json' }).end(deep);
      else json(response, url === '/v2' ? {} : { inputs: fp32, outputs: fp32 });
    });
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const run = async () => (await openSession({ url: origin, model: 'a' })).run(feeds);
    await expect(run()).rejects.toThrow(message);
    expect(parse.mock.calls.filter(([text]) => text.length > 100_000)).toEqual([]);
  });

  it('breaks off its answer', async () => {
    const { origin } = await scriptedServer(({ url }, response) => {
      if (url === '/v2') return json(response, {});
      if (url === '/v2/models/a') return json(response, { inputs: fp32, outputs: fp32 });
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setImmediate(() => response.destroy());
    });
    const session = await openSession({ url: origin, model: 'a' });
    await expect(session.run(feeds)).rejects.toMatchObject({ code: 'worker_failed' });
  });

  it('takes too long', async () => {
    const { origin } = await scriptedServer(() => {});
    await expect(
      openSession({ url: origin, model: 'a', timeoutMs: 50, startTimeoutMs: 0 }),
    ).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('timeout'),
    });
  });
});
