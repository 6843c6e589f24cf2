import { expect, it } from 'vitest';
import { sinceRestart, type ChatEvent } from '../../../src/categories/chat/events.ts';
import { tallyChat } from '../../../src/categories/chat/category.ts';
import { chatTelemetry } from '../../../src/categories/chat/telemetry.ts';
import type { UsageTally } from '../../../src/contracts/run.ts';

const answered: readonly ChatEvent[] = [
  { type: 'prompt-start', promptTokens: 7 },
  { type: 'reasoning-delta', choice: 0, text: 'So', tokens: 2 },
  { type: 'text-delta', choice: 0, text: 'Broken', tokens: 3 },
  { type: 'choice-end', choice: 0, finishReason: 'length' },
  { type: 'answer-restart' },
  { type: 'text-delta', choice: 0, text: 'Whole', tokens: 1 },
];

it('drops what came before an answer began again', () => {
  expect(sinceRestart(answered)).toEqual(answered.slice(5));
  expect(sinceRestart(answered.slice(0, 4))).toEqual(answered.slice(0, 4));
});

it('counts the tokens of the answer that counts', () => {
  const tally: UsageTally = { usage: {}, finishReasons: [] };
  for (const event of answered) tallyChat(event, tally);
  expect(tally).toEqual({ usage: { inputTokens: 7, outputTokens: 1 }, finishReasons: [] });
});

it('writes the answer that counts into traces', () => {
  const recorder = chatTelemetry.createRecorder!();
  for (const event of answered) recorder.push(event);
  const { 'gen_ai.output.messages': messages } = recorder.attributes();
  expect(messages).toContain('Whole');
  expect(messages).not.toContain('Broken');
});
