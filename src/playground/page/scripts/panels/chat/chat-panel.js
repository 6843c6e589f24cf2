import { announce } from '../../dom/announce.js';
import { element, field, quietButton, toggle } from '../../dom/element.js';
import { createWorkspace } from '../workspace.js';
import { createFollower } from './follow.js';
import { converse } from './converse.js';
import { exampleTools } from './example-tools.js';
import { createAnswerView, userView } from './message-view.js';
import { loadConversation, saveConversation, toSent } from './messages.js';
import { createSuggestions } from './suggestions.js';

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createChatPanel(context) {
  const { client } = context;
  /** @type {Message[]} */
  let messages = loadConversation();
  const tools = exampleTools(context).map((tool) => ({ tool, control: toggle(tool.label) }));
  const log = element('div', { class: 'conversation' });
  const input = element('textarea', { class: 'input', rows: '1', placeholder: 'Say something' });
  const system = element('textarea', { class: 'input', rows: '2', placeholder: 'None' });
  const suggestions = createSuggestions((text, toolName) => {
    for (const { tool, control } of tools) if (tool.name === toolName) control.input.checked = true;
    void ask(text);
  });
  const clear = quietButton('Clear', () => {
    workspace.task.stop();
    messages = [];
    saveConversation(messages);
    log.replaceChildren();
    workspace.problem.replaceChildren();
    suggestions.hidden = false;
    regenerate.hidden = true;
    announce('The conversation is empty.');
    input.focus();
  });

  const toRequest = (/** @type {readonly Message[]} */ conversation) => {
    const on = tools.filter(({ control }) => control.input.checked).map(({ tool }) => tool.definition);
    const json = {
      model: workspace.model().id,
      messages: toSent(conversation, system.value),
      ...workspace.parameters.changed(),
      ...(on.length > 0 ? { tools: on } : {}),
      stream: true,
      stream_options: { include_usage: true },
    };
    return { path: '/chat/completions', json };
  };

  const workspace = createWorkspace(context, {
    title: 'Chat',
    lead: 'Talk to a model and let it call tools.',
    action: 'Send',
    onStart: () => void ask(input.value),
    describe() {
      const next =
        input.value.trim() === '' && messages.length > 0 ? [] : [toUser(input.value.trim() || 'Hello')];
      return { request: toRequest([...messages, ...next]) };
    },
    onBusy(isBusy) {
      log.setAttribute('aria-busy', String(isBusy));
      regenerate.hidden = isBusy || messages.length === 0;
    },
  });
  const { task, problem } = workspace;
  const follow = createFollower(log);

  /** @param {string} text */
  const ask = async (text) => {
    if (text.trim() === '' || task.isRunning()) return;
    messages.push(toUser(text.trim()));
    log.append(userView(text.trim()));
    suggestions.hidden = true;
    input.value = '';
    await answerLast(text);
  };

  const regenerate = quietButton(
    'Regenerate',
    () => {
      const last = messages.findLastIndex(({ role }) => role === 'user');
      const question = messages[last];
      if (question === undefined || task.isRunning()) return;
      messages.length = last + 1;
      while (log.lastElementChild?.matches('.message-user') === false) log.lastElementChild.remove();
      void answerLast(question.content);
    },
    { hidden: messages.length === 0 },
  );

  /** @param {string} text of the last message */
  const answerLast = async (text) => {
    // `Clear` begins another conversation; the rest of this answer is no part of it.
    const conversation = messages;
    const before = conversation.length - 1;
    const view = log.lastElementChild;
    follow();
    await task.run(async (signal) => {
      try {
        await converse(conversation, {
          ask: (sent) => client.send(toRequest(sent), signal),
          tools: tools.map(({ tool }) => tool),
          speaker: workspace.model().id,
          log,
          signal,
        });
      } catch (error) {
        if (view && log.lastElementChild === view) {
          // No answer came: the question goes back to where it can be asked again.
          conversation.length = before;
          view.remove();
          if (!signal.aborted) input.value ||= text;
          suggestions.hidden = messages.length > 0;
        }
        throw error;
      } finally {
        saveConversation(messages);
      }
    });
  };

  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void ask(input.value);
  });

  restore(messages, log, workspace.model().id);
  suggestions.hidden = messages.length > 0;
  const composer = element(
    'div',
    { class: 'composer' },
    element('label', { class: 'visually-hidden', for: (input.id = 'chat-input') }, 'Message'),
    input,
    element(
      'div',
      { class: 'row' },
      task.button,
      element('span', { class: 'spread' }),
      regenerate,
      workspace.curlButton,
      clear,
    ),
  );
  const settings = element(
    'details',
    { class: 'more chat-settings' },
    element('summary', {}, 'System message'),
    field('System message', system, 'Instructions that precede the conversation.'),
  );
  const toolbox = element(
    'fieldset',
    { class: 'toolbox' },
    element('legend', { class: 'label' }, 'Tools'),
    ...tools.map(({ control }) => control.root),
  );
  workspace.main.classList.add('chat');
  workspace.main.append(suggestions, log, problem, composer, toolbox, workspace.curlShown, settings);
  return { root: workspace.root };
}

/** @param {string} content @returns {Message} */
function toUser(content) {
  return { role: 'user', content };
}

/**
 * Shows a conversation that was there before a reload.
 *
 * @param {readonly Message[]} messages
 * @param {HTMLElement} log
 * @param {string} speaker
 */
function restore(messages, log, speaker) {
  /** @type {AnswerView | undefined} */
  let last;
  for (const message of messages) {
    if (message.role === 'user') log.append(userView(message.content));
    else if (message.role === 'tool') last?.showResult(message.tool_call_id, message.content);
    else {
      last = createAnswerView(speaker);
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
