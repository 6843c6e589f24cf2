import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compileTemplate } from '../../../../../src/core/jinja/template.ts';
import { createTokenizer } from '../../../../../src/core/tokenization/tokenizer.ts';

/** Counts the slices of some work. */
function counted<T>(steps: Iterator<void, T>): { readonly value: T; readonly slices: number } {
  for (let slices = 1; ; slices++) {
    const { done, value } = steps.next();
    if (done) return { value, slices };
  }
}

const messages = Array.from({ length: 15_000 }, (_, index) => ({ role: 'user', content: `Hi ${index}` }));

describe('a prompt of 15,000 messages is made in slices', () => {
  it.each([
    ['a loop', '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}'],
    [
      'a loop of macros',
      '{% macro show(m) %}<{{ m.role }}>{{ m.content }}{% endmacro %}{% for m in messages %}{{ show(m) }}{% endfor %}',
    ],
    [
      'a loop within a block that is filtered',
      '{% set all %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% endset %}{{ all | trim }}',
    ],
    [
      'a loop within conditions and scopes',
      '{% if messages %}{% with a = 1 %}{% for m in messages %}{% if a %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}{% endwith %}{% endif %}',
    ],
  ])('%s', (_, source) => {
    const template = compileTemplate(source, () => new Date(0));
    const { value, slices } = counted(template.renderSteps({ messages }));
    expect(value).toBe(messages.map(({ content }) => `<user>${content}`).join(''));
    expect(value).toBe(template.render({ messages }));
    expect(slices).toBeGreaterThanOrEqual(15_000);
  });

  it('the tokens of texts and of special tokens are those of the whole, with others in between', async () => {
    const file = new URL('../../../../../examples/models/tiny-chat/tokenizer.json', import.meta.url);
    const tokenizer = createTokenizer(JSON.parse(await readFile(file, 'utf8')));
    const special = tokenizer.addedTokens.find((token) => token.special)!.content;
    for (const text of [
      messages.map(({ content }) => special + content).join(''),
      messages.map(({ content }) => content).join(' '),
    ]) {
      const options = { addSpecialTokens: false, truncation: false, padding: false } as const;
      const whole = tokenizer.toIds(text, options);
      const steps = tokenizer.toIdSteps(text);
      let slices = 1;
      for (let step = steps.next(); ; step = steps.next(), slices++) {
        if (step.done) {
          expect(step.value).toEqual(whole);
          break;
        }
        tokenizer.toIds('Others encode in between.');
      }
      expect(slices).toBeGreaterThan(25);
    }
  });
});
