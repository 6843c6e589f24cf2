import { userView } from './message-view.js';

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

/**
 * *
 *
 * @param {readonly Message[]} messages
 * @param {HTMLElement} log
 * @param {() => AnswerView} createView
 * @param {Parameters<typeof userView>[1]} onEdit
 */
export function restore(messages, log, createView, onEdit) {
  /** @type {AnswerView | undefined} */
  let last;
  for (const message of messages) {
    if (message.role === 'user') log.append(userView(message, onEdit));
    else if (message.role === 'tool') last?.showResult(message.tool_call_id, message.content);
    else {
      last = createView();
      const { role: _role, tool_calls: calls, ...rest } = message;
      const indexed = calls?.map(({ id, type, function: called }, index) => ({
        index,
        id,
        type,
        function: called,
      }));
      last.add({ ...rest, ...(indexed ? { tool_calls: indexed } : {}) });
      log.append(last.root);
    }
  }
}
