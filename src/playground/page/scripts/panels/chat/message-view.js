import { copyButton } from '../../dom/copy-button.js';
import { element, quietButton } from '../../dom/element.js';
import { createMarkdownView } from '../../dom/markdown.js';
import { pictureElement } from './attachments.js';
import { editMessage } from './edit-message.js';
import { createLogprobsView } from './logprobs-view.js';

/**
 * @typedef {import('./messages.js').Delta} Delta
 * @typedef {import('./messages.js').Chunk} Chunk
 */

/**
 * * A streaming answer, shown as Markdown without the model's own markup.
 *
 * @typedef {object} AnswerView
 * @property {HTMLElement} root
 * @property {(delta: Delta) => void} add
 * @property {(logprobs: NonNullable<Chunk['choices'][number]['logprobs']>) => void} addLogprobs
 * @property {(callId: string, content: string, shown?: HTMLElement) => void} showResult of a tool call
 * @property {(callId: string, shown: HTMLElement) => void} showWaiting until a tool call has its result
 * @property {(note: string) => void} showNote figures below the answer
 */

/**
 * * @param {import('./messages.js').UserMessage} message
 * @param {(message: import('./messages.js').UserMessage, text: string) => void} onEdit receives the new text
 * @returns {HTMLElement}
 */
export function userView(message, onEdit) {
  const { content, pictures = [] } = message;
  const shown = pictures.map((picture) =>
    element(
      'figure',
      { class: 'sent-picture' },
      pictureElement(picture),
      element('figcaption', { class: 'file-name' }, picture.name),
    ),
  );
  const edit = quietButton('Edit', () => editMessage(root, content, (text) => onEdit(message, text)), {
    class: 'quiet-button small-button edit-button',
    'aria-label': 'Edit message',
  });
  const root = element(
    'article',
    { class: 'message message-user' },
    element('span', { class: 'visually-hidden' }, 'You: '),
    ...shown,
    content === '' ? null : element('p', { class: 'text' }, content),
    edit,
  );
  return root;
}

/**
 * * @param {string} speaker
 * @param {(text: string, signal: AbortSignal) => Promise<void>} [readAloud] resolves at the end of the audio
 * @returns {AnswerView}
 */
export function createAnswerView(speaker, readAloud) {
  const thoughts = createMarkdownView('text');
  const answer = createMarkdownView('text answer');
  const reasoning = element(
    'details',
    { class: 'reasoning', open: true, hidden: true },
    element('summary', {}, 'Reasoning'),
    thoughts.root,
  );
  const calls = element('div', { class: 'calls', hidden: true });
  const note = element('p', { class: 'status', 'data-speaker': speaker });
  const copy = copyButton('Copy', 'Copy answer', answer.text);
  const reader = readAloud && createReadButton((signal) => readAloud(answer.text(), signal));
  const foot = element('div', { class: 'row answer-foot', hidden: true }, copy, reader, note);
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
    foot,
  );
  return {
    root,
    add(delta) {
      if (delta.reasoning_content) {
        reasoning.hidden = false;
        thoughts.append(delta.reasoning_content);
      }
      if (delta.content) answer.append(delta.content);
      foot.hidden = false;
      copy.hidden = answer.text() === '';
      if (reader) reader.hidden = copy.hidden;
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
    showWaiting(callId, shown) {
      callViews.find((view) => view.id() === callId)?.showWaiting(shown);
    },
    showNote(text) {
      thoughts.show();
      answer.show();
      note.textContent = text;
      foot.hidden = false;
    },
  };
}

/** @param {(signal: AbortSignal) => Promise<void>} read */
function createReadButton(read) {
  /** @type {AbortController | undefined} */
  let running;
  const begin = async () => {
    running = new AbortController();
    button.textContent = 'Stop reading';
    await read(running.signal);
    running = undefined;
    button.textContent = 'Read aloud';
  };
  const button = quietButton('Read aloud', () => (running ? running.abort() : void begin()), {
    class: 'quiet-button small-button',
  });
  return button;
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
    /** @param {HTMLElement} shown */
    showWaiting(shown) {
      result.replaceChildren(shown);
      result.hidden = false;
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
