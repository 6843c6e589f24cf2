import { expect, test } from 'vitest';
import { openChat, prompts, realModel } from './answers.ts';

const sentence =
  'The lighthouse keeper counted the ships that passed in the fog and wrote each of them down. ';
const story = `${sentence.repeat(40)}\n\n`;
const pieceTokens = 64;

test.each(['smollm2-gqa-int4', 'smollm2-q4', 'smollm2-fp32'].filter((name) => realModel(name)))(
  '%s: temperature 0 gives the same answer whether or not the prompt was read before',
  async (name) => {
    const model = await openChat(realModel(name)!);
    const greedy = { temperature: 0, maxTokens: 40 };
    for (const prompt of prompts.slice(0, 10)) {
      const cold = await model.answer(prompt, greedy);
      const { cachedTokens, ...cached } = await model.answer(prompt, greedy);
      expect(cachedTokens).toBe(cold.promptTokens - 1);
      expect({ ...cached, cachedTokens: cold.cachedTokens }).toEqual(cold);
    }
    await model.close();
  },
);

test.each(['smollm2-gqa-int4', 'smollm2-q4', 'smollm2-fp32'].filter((name) => realModel(name)))(
  '%s: a seed gives the same answer whether or not the prompt was read before',
  async (name) => {
    const source = realModel(name)!;
    const sampled = { temperature: 0.9, topP: 0.95, seed: 11, maxTokens: 24 };
    const asked = `${story}What did the keeper count?`;
    const cold = await openChat(source);
    const wanted = await cold.answer(asked, sampled);
    expect(wanted.cachedTokens).toBe(0);
    expect(wanted.promptTokens).toBeGreaterThan(8 * pieceTokens);

    // Read by a seed: only the last token is computed again.
    expect(await cold.answer(asked, sampled)).toEqual({ ...wanted, cachedTokens: wanted.promptTokens - 1 });
    await cold.close();

    // Read by others, in other shapes: short prompts together, and a story after what those had computed.
    const warm = await openChat(source);
    await Promise.all(prompts.slice(0, 4).map((prompt) => warm.answer(prompt, { maxTokens: 4 })));
    await warm.answer(`${story}Who was at sea?`, { maxTokens: 8 });
    const { cachedTokens: _cached, ...again } = await warm.answer(asked, sampled);
    const { cachedTokens: _none, ...first } = wanted;
    expect(again).toEqual(first);
    const other = await warm.answer(`${story}Who was at sea?`, sampled);
    expect(other.cachedTokens).toBeGreaterThan(8 * pieceTokens);
    await warm.close();
  },
);
