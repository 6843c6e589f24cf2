import { describe, expect, it } from 'vitest';
import { callFor, createHostCalls, separateFunctions } from '../../src/engine/host-functions.ts';
import type { WorkerMessage } from '../../src/engine/protocol.ts';

/** Both sides of the border, with plain data between them. */
function cross<Data extends object>(given: Data): Data {
  const { data, paths, functions } = separateFunctions(given);
  const received = structuredClone(data);
  const calls = createHostCalls((message) => {
    const asked = structuredClone(message) as WorkerMessage & { type: 'call' };
    void callFor(functions, asked).then((answer) => calls.receive(structuredClone(answer)));
  });
  calls.place(received, structuredClone(paths));
  return received;
}

describe('functions in the settings of a model', () => {
  it('are called in the host, wherever they stand', async () => {
    let turn = 0;
    const next = () => Promise.resolve(`key-${++turn}`);
    const upstreams = [{ url: 'a' }, { url: 'b', apiKey: next }];
    const spec = cross({ id: 'm', backend: { kind: 'kserve', apiKey: () => 'own', upstreams } });
    expect(spec).toMatchObject({
      id: 'm',
      backend: { kind: 'kserve', upstreams: [{ url: 'a' }, { url: 'b' }] },
    });
    await expect(Promise.resolve(spec.backend.apiKey())).resolves.toBe('own');
    const keys = await Promise.all([
      spec.backend.upstreams[1]!.apiKey!(),
      spec.backend.upstreams[1]!.apiKey!(),
    ]);
    expect(keys).toEqual(['key-1', 'key-2']);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('vault is sealed')), 'vault is sealed'],
    ['gives what is no plain data', () => () => 1, 'could not be cloned'],
  ])('fail in the worker where one %s', async (_how, read, message) => {
    await expect(cross({ read: read as () => Promise<unknown> }).read()).rejects.toThrow(message);
  });

  it('leave everything else as it is', () => {
    const spec = { bytes: new Uint8Array([1]), list: [1, null, undefined], date: new Date(0) };
    expect(cross(spec)).toEqual(spec);
  });
});
