import { createFakeInference, type FakeInferenceOptions } from '../../src/testing/fake-inference.ts';

/** One model of each category. */
export const models: NonNullable<FakeInferenceOptions['models']> = [
  'fake-chat',
  { id: 'fake-detector', category: 'detection' },
  { id: 'fake-embedder', category: 'embedding' },
  { id: 'fake-painter', category: 'image' },
  { id: 'fake-recognizer', category: 'transcription' },
  { id: 'fake-speaker', category: 'speech' },
];

export const createInference = (options: FakeInferenceOptions = {}) =>
  createFakeInference({ models, reply: { text: 'four little words here' }, ...options });

/** Waits until something is the case. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns === 2000) throw new Error('It was not the case within 2,000 turns.');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
