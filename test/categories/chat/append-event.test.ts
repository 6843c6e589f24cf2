import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendEvent } from '../../../src/categories/chat/models.ts';
import type { ChatEvent } from '../../../src/categories/chat/events.ts';

function appended(events: readonly ChatEvent[]): ChatEvent[] {
  const together: ChatEvent[] = [];
  for (const event of events) appendEvent(together as never, event);
  return together;
}

/** Without `tokens` a delta counts as one. */
const text = (choice: number, content: string, tokens?: number): ChatEvent => ({
  type: 'text-delta',
  choice,
  text: content,
  ...(tokens === undefined ? {} : { tokens }),
});
const call = (index: number, json: string, tokens?: number): ChatEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  call: index,
  arguments: json,
  ...(tokens === undefined ? {} : { tokens }),
});

describe('appendEvent', () => {
  it.each<[string, ChatEvent[], ChatEvent[]]>([
    ['text to text', [text(0, 'a'), text(0, 'b')], [text(0, 'ab', 2)]],
    ['choices apart', [text(0, 'a'), text(1, 'x'), text(0, 'b')], [text(0, 'ab', 2), text(1, 'x')]],
    ['arguments of one call', [call(0, '{', 2), call(0, '}', 3)], [call(0, '{}', 5)]],
    ['arguments of two calls stay apart', [call(0, '{}'), call(1, '{}')], [call(0, '{}'), call(1, '{}')]],
    [
      'thinking and text stay apart',
      [{ type: 'reasoning-delta', choice: 0, text: 'a' }, text(0, 'b'), text(0, 'c')],
      [{ type: 'reasoning-delta', choice: 0, text: 'a' }, text(0, 'bc', 2)],
    ],
    [
      'nothing crosses log probabilities or an end',
      [text(0, 'a'), { type: 'logprobs', choice: 0, tokens: [] }, text(0, 'b')],
      [text(0, 'a'), { type: 'logprobs', choice: 0, tokens: [] }, text(0, 'b')],
    ],
  ])('%s', (_, events, expected) => {
    expect(appended(events)).toEqual(expected);
  });

  it('loses and reorders nothing within a choice', () => {
    const delta = fc.record({
      type: fc.constantFrom('text-delta', 'reasoning-delta'),
      choice: fc.nat(2),
      text: fc.string({ maxLength: 3 }),
    }) as fc.Arbitrary<Extract<ChatEvent, { type: 'text-delta' }>>;
    fc.assert(
      fc.property(fc.array(delta), (events) => {
        for (const choice of [0, 1, 2]) {
          const spell = (of: readonly ChatEvent[]): string =>
            of
              .flatMap((event) =>
                'choice' in event && 'text' in event && event.choice === choice
                  ? [...event.text].map((letter) => event.type + letter)
                  : [],
              )
              .join('');
          expect(spell(appended(events))).toBe(spell(events));
        }
      }),
    );
  });
});
