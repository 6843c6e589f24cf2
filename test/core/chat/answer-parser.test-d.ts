import { expectTypeOf, it } from 'vitest';
import type { AnswerEnd, AnswerEvent } from '../../../src/core/chat/answer-parser.ts';
import type { ChatEvent, FinishReason } from '../../../src/categories/chat/events.ts';

it('gives chat events that lack nothing but the choice', () => {
  expectTypeOf<AnswerEvent & { readonly choice: number }>().toExtend<ChatEvent>();
  expectTypeOf<AnswerEnd['finishReason']>().toEqualTypeOf<FinishReason>();
});
