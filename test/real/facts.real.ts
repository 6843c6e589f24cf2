import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { describeChatModels } from './chat-models.ts';
import { facts, factsSchema as schema } from './facts.js';

// Sampling has its defaults but for the temperature, so that a run is the same each time. Without a schema small models nest
// the facts as they like: there they only have to be there.

describeChatModels((ask) => {
  it.each([
    { form: 'a schema', responseFormat: { type: 'json-schema', schema } as const },
    { form: 'free text', responseFormat: { type: 'text' } as const },
  ])('copies seven of eight facts from the prompt into $form', async ({ responseFormat }) => {
    const wrong: string[] = [];
    for (const [name, age, city] of facts) {
      const content = `${name} is ${age} years old and lives in ${city}. Give the data as JSON with name, age, city.`;
      const messages = [{ role: 'user', content } as const];
      const { text } = await ask({ messages, responseFormat, temperature: 0 });
      const isRight =
        responseFormat.type === 'text'
          ? [name, String(age), city].every((fact) => text.includes(fact))
          : isDeepStrictEqual(parsed(text), { name, age, city });
      if (!isRight) wrong.push(text);
    }
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(facts.length / 8);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
