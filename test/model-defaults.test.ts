import { describe, expect, it, onTestFinished } from 'vitest';
import { createInference } from '../src/inference.ts';
import { checkModel } from '../src/loading/settings.ts';
import { toModelParameters } from '../src/loading/model-parameters.ts';

const messages = [{ role: 'user', content: 'Describe a scene with three shapes.' }] as const;

describe('defaults of a model on this machine', () => {
  it('hold where a request leaves them out, and discovery shows them', async () => {
    const inference = createInference({
      models: { it: { source: 'tiny-chat', category: 'chat', defaults: { maxTokens: 3, temperature: 0 } } },
      isolation: 'inline',
    });
    onTestFinished(() => inference.close({ graceMs: 0 }));
    const tokensOf = async (request: object): Promise<number> => {
      for await (const event of inference.chat({ model: 'it', messages, ...request }))
        if (event.type === 'usage') return event.completionTokens;
      return -1;
    };
    expect(await tokensOf({})).toBe(3);
    expect(await tokensOf({ maxTokens: undefined })).toBe(3);
    expect(await tokensOf({ maxTokens: 5 })).toBe(5);
    const { parameters } = toModelParameters(inference.models()[0]!);
    expect([parameters['max_tokens']?.default, parameters['temperature']?.default]).toEqual([3, 0]);
    expect(parameters['top_p']?.default).toBe(1);
  });

  it('hold for a model that is added later, until it is removed', async () => {
    const inference = createInference({ models: {}, isolation: 'inline' });
    onTestFinished(() => inference.close({ graceMs: 0 }));
    const tokens = async (): Promise<number> => {
      for await (const event of inference.chat({ model: 'it', messages }))
        if (event.type === 'usage') return event.completionTokens;
      return -1;
    };
    for (const maxTokens of [3, 4]) {
      inference.add('it', { source: 'tiny-chat', category: 'chat', defaults: { maxTokens, temperature: 0 } });
      expect(await tokens()).toBe(maxTokens);
      await inference.remove('it');
    }
  });

  it.each([
    [
      { temprature: 1 },
      'models.it.defaults.temprature: A model for chat has no such setting. Did you mean temperature?',
    ],
    [{ temperature: 3 }, 'models.it.defaults.temperature: expected a value from 0 to 2, got 3.'],
    [{ maxTokens: 'many' }, 'models.it.defaults.maxTokens: expected an integer, got "many".'],
  ])('are checked: %o', (defaults, message) => {
    const settings = { source: 'tiny-chat', category: 'chat', defaults };
    expect(() => checkModel('models.it', settings)).toThrow(message);
  });
});
