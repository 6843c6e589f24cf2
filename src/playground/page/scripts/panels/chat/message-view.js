import { element } from '../../dom/element.js';
import { createLogprobsView } from './logprobs-view.js';

/**
 * @typedef {import('./messages.js').Delta} Delta
 * @typedef {import('./messages.js').Chunk} Chunk
 */

/**
 * What an assistant says, as it comes. All of it is text: nothing a model writes is ever read as markup.
 *
 * @typedef {object} AnswerView
 * @property {HTMLElement} root
 * @property {(delta: Delta) => void} add
 * @property {(logprobs: NonNullable<Chunk['choices'][number]['logprobs']>) => void} addLogprobs
 * @property {(callId: string, content: string, shown?: HTMLElement) => void} showResult of a tool call
 * @property {(note: string) => void} showNote figures below the answer
 */

/** @param {string} content @returns {HTMLElement} */
export function userView(content) {
  return element(
    'article',
    { class: 'message message-user' },
    element('span', { class: 'visually-hidden' }, 'You: '),
    element('p', { class: 'text' }, content),
  );
}

/** @param {string} speaker @returns {AnswerView} */
export function createAnswerView(speaker) {
  const thoughts = growingText();
  const answer = growingText();
  const reasoning = element(
    'details',
    { class: 'reasoning', open: true, hidden: true },
    element('summary', {}, 'Reasoning'),
    thoughts.root,
  );
  const calls = element('div', { class: 'calls', hidden: true });
  const note = element('p', { class: 'status' });
  const logprobs = createLogprobsView();
  /** @type {ReturnType<typeof createCallView>[]} */
  const callViews = [];
  const root = element(
    'article',
    { class: 'message message-assistant' },
    element('span', { class: 'visually-hidden' }, `${speaker}: `),
    reasoning,
    answer.root,
    calls,
    logprobs.root,
    note,
  );
  return {
    root,
    add(delta) {
      if (delta.reasoning_content) {
        reasoning.hidden = false;
        thoughts.append(delta.reasoning_content);
      }
      if (delta.content) answer.append(delta.content);
      for (const { index, id, function: part } of delta.tool_calls ?? []) {
        calls.hidden = false;
        const view = (callViews[index] ??= createCallView());
        if (!view.root.isConnected) calls.append(view.root);
        view.add(id ?? '', part?.name ?? '', part?.arguments ?? '');
      }
    },
    addLogprobs: (more) => logprobs.add(more.content),
    showResult(callId, content, shown) {
      callViews.find((view) => view.id() === callId)?.showResult(content, shown);
    },
    showNote: (text) => (note.textContent = text),
  };
}

function growingText() {
  const text = document.createTextNode('');
  const root = element('p', { class: 'text', hidden: true }, text);
  return {
    root,
    append(/** @type {string} */ more) {
      text.appendData(text.data === '' ? more.trimStart() : more);
      root.hidden = text.data === '';
    },
  };
}

function createCallView() {
  const name = document.createTextNode('');
  const values = document.createTextNode('');
  const result = element('div', { class: 'call-result', hidden: true });
  const root = element(
    'section',
    { class: 'call', 'aria-label': 'Tool call' },
    element(
      'p',
      { class: 'call-head' },
      element('span', { class: 'call-arrow', 'aria-hidden': 'true' }, '→'),
      element('code', {}, name),
    ),
    element('pre', {}, values),
    result,
  );
  let id = '';
  return {
    root,
    id: () => id,
    /** @param {string} callId @param {string} moreName @param {string} moreValues */
    add(callId, moreName, moreValues) {
      id ||= callId;
      name.appendData(moreName);
      values.appendData(moreValues);
    },
    /** @param {string} content @param {HTMLElement} [shown] */
    showResult(content, shown) {
      const arrow = element('span', { class: 'call-arrow', 'aria-hidden': 'true' }, '←');
      const said = element('span', { class: 'visually-hidden' }, 'Result: ');
      result.replaceChildren(element('p', { class: 'call-head' }, arrow, said, element('code', {}, content)));
      if (shown) result.append(shown);
      result.hidden = false;
    },
  };
}
