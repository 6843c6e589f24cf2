import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInference, speech, type Inference } from '../../dist/src/index.js';

let inference: Inference;
beforeAll(async () => {
  inference = createInference({ models: { speaker: speech({ source: 'tiny-speech' }) } });
  await inference.ready();
}, 120_000);
afterAll(() => inference.close());

async function speak(input: string, signal?: AbortSignal): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of inference.speak({ model: 'speaker', input }, { signal })) types.push(type);
  return types;
}

// What a run made before it was cancelled must not lie in the worker before the news of its end.
it('a long speech that is left costs those that come after it nothing', { timeout: 120_000 }, async () => {
  const leaving = new AbortController();
  const left = speak('one, '.repeat(6000), leaving.signal);
  await pause(3000);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  const other = new AbortController();
  const long = speak('two, '.repeat(6000), other.signal);
  expect(await speak('hi')).toEqual(['speech-start', 'audio', 'speech-end']);
  await pause(5500);
  expect(await speak('hi')).toEqual(['speech-start', 'audio', 'speech-end']);
  other.abort();
  await expect(long).rejects.toMatchObject({ code: 'cancelled' });
});
