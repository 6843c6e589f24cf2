import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInference, type Inference } from 'slashv1';
import { models, talk, toWav } from './assistant.js';

describe('the voice assistant', { timeout: 120_000 }, () => {
  let inference: Inference;
  beforeAll(() => {
    inference = createInference({ models });
  });
  afterAll(() => inference.close());

  async function say(input: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const event of inference.speak({ model: 'mouth', input })) {
      if (event.type === 'audio') pieces.push(event.bytes);
    }
    return Buffer.concat(pieces);
  }

  it('hears a question, asks a tool, and says the answer', async () => {
    const spoken: Uint8Array[] = [];
    const { question, answer } = await talk(inference, await say('What is the weather in Paris?'), (pcm) =>
      spoken.push(pcm),
    );
    expect(question).toMatch(/weather in paris/i);
    expect(answer).toMatch(/20 degrees/);
    // The audio is intelligible: transcribe it.
    let heard = '';
    const audio = toWav(Buffer.concat(spoken), 24_000);
    for await (const event of inference.transcribe({ model: 'ears', audio })) {
      if (event.type === 'segment') heard += event.segment.text;
    }
    expect(heard).toMatch(/degrees|sunny|paris/i);
  });
});
