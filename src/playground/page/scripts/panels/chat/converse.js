import { answerCall } from './example-tools.js';
import { createAnswerView } from './message-view.js';
import { emptyAnswer } from './messages.js';
import { streamAnswer } from './stream-answer.js';

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./messages.js').AssistantMessage} AssistantMessage
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

/**
 * * @typedef {object} Turn
 * @property {(conversation: readonly Message[]) => Promise<Response>} ask sends a conversation
 * @property {readonly import('./example-tools.js').ExampleTool[]} tools
 * @property {string} speaker
 * @property {Parameters<typeof createAnswerView>[1]} readAloud
 * @property {HTMLElement} log container of answers
 * @property {AbortSignal} signal
 */

/** Max rounds of tool calls per question. */
const maxRounds = 5;

/**
 * * Requests answers and runs their tool calls until there are no more. Output is added to the conversation even if it ends in an
 * error.
 *
 * @param {Message[]} conversation
 * @param {Turn} turn
 */
export async function converse(conversation, turn) {
  for (let round = 0; round < maxRounds; round += 1) {
    const { message, view } = await answer(conversation, turn);
    if (!message.tool_calls) return;
    try {
      for (const call of message.tool_calls) {
        const { content, shown } = await answerCall(turn.tools, call, turn.signal, (waiting) =>
          view.showWaiting(call.id, waiting),
        );
        conversation.push({ role: 'tool', tool_call_id: call.id, content });
        view.showResult(call.id, content, shown);
      }
    } finally {
      settleCalls(conversation, message);
    }
  }
}

/**
 * @param {Message[]} conversation
 * @param {Turn} turn
 */
async function answer(conversation, { ask, speaker, readAloud, log, signal }) {
  const message = emptyAnswer();
  /** @type {Map<number, AnswerView>} */
  const views = new Map();
  const viewOf = (/** @type {number} */ choice) => {
    const view = views.get(choice) ?? createAnswerView(speaker, readAloud);
    if (!views.has(choice)) log.append(view.root);
    views.set(choice, view);
    return view;
  };
  const sentAt = performance.now();
  const response = await ask(conversation);
  try {
    await streamAnswer(response, { message, viewOf, signal, sentAt });
  } catch (error) {
    // Keep the text, but drop possibly truncated calls.
    delete message.tool_calls;
    if (message.content !== '') conversation.push(message);
    if (views.size > 0) viewOf(0).showNote(signal.aborted ? 'stopped' : 'broken off');
    throw error;
  }
  conversation.push(message);
  return { message, view: viewOf(0) };
}

/**
 * * Adds missing call results: without them every later request would fail.
 *
 * @param {Message[]} conversation
 * @param {AssistantMessage} message
 */
function settleCalls(conversation, message) {
  const settled = new Set(conversation.map((each) => (each.role === 'tool' ? each.tool_call_id : '')));
  for (const { id } of message.tool_calls ?? []) {
    if (!settled.has(id))
      conversation.push({ role: 'tool', tool_call_id: id, content: '{"error":"stopped"}' });
  }
}
