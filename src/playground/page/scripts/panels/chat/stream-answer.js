import { readJsonEvents } from '../../api/server-events.js';
import { createReader } from '../../dom/announce.js';
import { counted, formatDuration } from '../../dom/format.js';
import { addDelta } from './messages.js';

/**
 * @typedef {import('./messages.js').Chunk} Chunk
 * @typedef {import('./messages.js').AssistantMessage} AssistantMessage
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

/** Shorter answers have too few pieces to measure their speed. */
const minMeasuredMs = 100;

/**
 * *
 *
 * @param {Response} response
 * @param {object} options
 * @param {AssistantMessage} options.message receives the first choice
 * @param {(choice: number) => AnswerView} options.viewOf
 * @param {AbortSignal} options.signal
 * @param {number} options.sentAt `performance.now()` of the request
 */
export async function streamAnswer(response, { message, viewOf, signal, sentAt }) {
  const reader = createReader();
  const clock = { first: 0, last: 0 };
  /** @type {NonNullable<Chunk['usage']> | undefined} */
  let usage;
  let finishReason = '';
  for await (const chunk of /** @type {AsyncGenerator<Chunk>} */ (readJsonEvents(response, signal))) {
    usage = chunk.usage ?? usage;
    for (const { index, delta, logprobs, finish_reason: reason } of chunk.choices) {
      if (delta.content || delta.reasoning_content || delta.tool_calls) {
        clock.last = performance.now();
        clock.first ||= clock.last;
      }
      viewOf(index).add(delta);
      if (logprobs) viewOf(index).addLogprobs(logprobs);
      if (index !== 0) continue;
      addDelta(message, delta);
      reader.push(delta.content ?? '');
      finishReason = reason ?? finishReason;
    }
  }
  reader.end();
  viewOf(0).showNote(noteOf({ usage, finishReason, clock, sentAt }));
}

/**
 * @param {{ usage: NonNullable<Chunk['usage']> | undefined, finishReason: string, clock: { first: number, last: number }, sentAt: number }} facts
 * @returns {string} `12 prompt + 8 answer tokens · 64 tokens/s · first after 30 ms`
 */
function noteOf({ usage, finishReason, clock, sentAt }) {
  const notes = finishReason === 'length' ? ['cut off at max_tokens'] : [];
  if (usage)
    notes.push(`${usage.prompt_tokens} prompt + ${counted(usage.completion_tokens, 'answer token')}`);
  const lastedMs = clock.last - clock.first;
  if (usage && usage.completion_tokens > 2 && lastedMs >= minMeasuredMs) {
    notes.push(`${Math.round(((usage.completion_tokens - 1) / lastedMs) * 1000)} tokens/s`);
  }
  if (clock.first > 0) notes.push(`first after ${formatDuration(clock.first - sentAt)}`);
  return notes.join(' · ');
}
