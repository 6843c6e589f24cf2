import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInference, type Inference, type InferenceError } from '../../dist/src/index.js';
import { ask, createHogs, hogModels, type Hog } from './hogs.js';

let inference: Inference;
let hogs: Record<string, Hog>;

beforeAll(async () => {
  const models = Object.fromEntries(
    Object.values(hogModels).map((source) => [source, { source, threads: 1 }]),
  );
  inference = createInference({ models });
  hogs = await createHogs(inference);
}, 120_000);
afterAll(() => inference.close({ graceMs: 0 }));

it.each(Object.keys(hogModels))(
  'a small request of a second owner ends while those of the first are under way: %s',
  async (category) => {
    const { small, loads } = hogs[category]!;
    const { count, requests } = Object.values(loads)[0]!;
    const controller = new AbortController();
    setMaxListeners(count, controller.signal);
    const ends: string[] = [];
    let onDispatch = (): void => {};
    const begun = new Promise<void>((resolve) => (onDispatch = resolve));
    const { signal } = controller;
    const all = Array.from({ length: count }, () =>
      ask(inference, category, requests[0]!, { owner: 'a', signal, onDispatch }).then(
        () => ends.push('done'),
        (error: InferenceError) => ends.push(error.code),
      ),
    );
    await begun;
    await ask(inference, category, small, { owner: 'b' });
    expect(ends.filter((end) => end === 'done').length).toBeLessThanOrEqual(count / 4);
    controller.abort();
    await Promise.all(all);
    expect(['done', 'overloaded', 'cancelled']).toEqual(expect.arrayContaining(ends));
  },
  180_000,
);
