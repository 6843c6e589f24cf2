import { expect, it } from 'vitest';
import { chooseWorkload } from '../../../src/cli/bench/workloads.ts';
import { createFakeInference } from '../../../src/entries/testing.ts';

const { signal } = new AbortController();

it.each([
  ['chat', 'all streams', 'tokens/s'],
  ['embedding', 'texts', 'texts/s'],
  ['rerank', 'documents', 'documents/s'],
  ['detection', 'pictures', 'runs/s'],
  ['image', 'pictures', 'runs/s'],
  ['speech', 'runs', 'runs/s'],
  ['transcription', 'runs', 'runs/s'],
] as const)('a model for %s has %s', async (category, name, unit) => {
  const inference = createFakeInference({ models: [{ id: 'm', category }] });
  const subject = { inference, model: 'm', category, contextLength: 0, close: () => inference.close() };
  const values = category === 'transcription' ? { file: import.meta.filename } : {};
  const { prepare, send, measure } = await chooseWorkload(subject, values, signal);
  await prepare(signal);
  const samples = [await send(0, signal), await send(1, signal)];
  const measured = measure(samples, 2000).find((one) => one.name === name);
  expect(measured).toMatchObject({ unit, overall: expect.any(Number) });
  expect(measured!.overall!).toBeGreaterThan(0);
});
