import { fileContent } from '../../api/curl.js';
import { announce } from '../../dom/announce.js';
import { splitDataUrl } from '../../dom/bytes.js';
import { element, field, quietButton, toggle } from '../../dom/element.js';
import { createRecordButton } from '../recording/record-button.js';
import { spokenSample } from '../spoken-sample.js';
import { createWorkspace } from '../workspace.js';
import { createAttachments } from './attachments.js';
import { createFollower } from './follow.js';
import { converse } from './converse.js';
import { exampleTools } from './example-tools.js';
import { createAnswerView, userView } from './message-view.js';
import { loadConversation, saveConversation, toSent } from './messages.js';
import { createSuggestions } from './suggestions.js';

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./messages.js').UserMessage} UserMessage
 * @typedef {import('../workspace.js').Model} Model
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

const spokenQuestion = { label: 'A spoken question', text: 'What is twenty-seven plus fifty-eight?' };

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createChatPanel(context) {
  const { client } = context;
  /** @type {Message[]} */
  let messages = loadConversation();
  const tools = exampleTools(context).map((tool) => ({ tool, control: toggle(tool.label) }));
  const log = element('div', { class: 'conversation' });
  const notice = element('p', { class: 'status', role: 'status' });
  const input = element('textarea', { class: 'input', rows: '1', placeholder: 'Say something' });
  const system = element('textarea', { class: 'input', rows: '2', placeholder: 'None' });
  const transcriber = context.modelOf('transcription');
  const speaker = context.modelOf('speech');
  const attachments = createAttachments({
    takesPictures: context.models.some(mayTakePictures),
    transcribe: transcriber && ((file, signal) => transcribe(client, transcriber.id, file, signal)),
    onText(text) {
      input.value = input.value.trim() === '' ? text : `${input.value.trimEnd()} ${text}`;
      input.focus();
    },
    onError: (error) => workspace.showError(error),
  });
  const dictate = createRecordButton({
    label: 'Dictate',
    look: 'quiet-button',
    onRecording: (recording) => attachments.add([recording]),
    onError: (error) => workspace.showError(error),
  });
  dictate.hidden = transcriber === undefined;
  const suggestions = createSuggestions({
    onQuestion(text, toolName) {
      for (const { tool, control } of tools) if (tool.name === toolName) control.input.checked = true;
      void ask(text);
    },
    onPicture: context.models.some(takesPictures)
      ? (picture, text) => {
          attachments.add([picture]);
          void ask(text);
        }
      : undefined,
    recordings: transcriber && speaker ? [spokenSample(client, speaker.id, spokenQuestion)] : [],
    onRecording: (recording) => attachments.add([recording]),
    onError: (error) => workspace.showError(error),
  });
  const clear = quietButton('Clear', () => {
    workspace.task.stop();
    messages = [];
    saveConversation(messages);
    attachments.show([]);
    notice.textContent = '';
    log.replaceChildren();
    workspace.problem.replaceChildren();
    suggestions.hidden = false;
    regenerate.hidden = true;
    announce('The conversation is empty.');
    input.focus();
  });

  /** @param {readonly Message[]} conversation @param {Parameters<typeof toSent>[2]} [urlOf] */
  const toRequest = (conversation, urlOf) => {
    const on = tools.filter(({ control }) => control.input.checked).map(({ tool }) => tool.definition);
    const json = {
      model: workspace.model().id,
      messages: toSent(conversation, system.value, urlOf),
      ...workspace.parameters.changed(),
      ...(on.length > 0 ? { tools: on } : {}),
      stream: true,
      stream_options: { include_usage: true },
    };
    return { path: '/chat/completions', json };
  };

  const settings = element(
    'details',
    { class: 'chat-settings' },
    element('summary', {}, 'System message'),
    field('System message', system, 'Instructions that precede the conversation.'),
  );
  const toolbox = element(
    'fieldset',
    { class: 'toolbox' },
    element('legend', { class: 'label' }, 'Tools'),
    ...tools.map(({ control }) => control.root),
  );
  const workspace = createWorkspace(context, {
    title: 'Chat',
    settings: [toolbox, settings],
    lead: 'Talk to a model and let it call tools.',
    action: 'Send',
    onStart: () => void ask(),
    describe() {
      const pictures = attachments.pictures();
      const text = input.value.trim();
      const hasNext = text !== '' || pictures.length > 0 || messages.length === 0;
      const next = hasNext ? [toUser(text || (pictures.length > 0 ? '' : 'Hello'), pictures)] : [];
      /** @type {string[]} */
      const files = [];
      const urlOf = (/** @type {import('./attachments.js').Attachment} */ { name, url }) =>
        splitDataUrl(url).head + fileContent(files.push(name) - 1);
      return { request: toRequest([...messages, ...next], urlOf), files };
    },
    onBusy(isBusy) {
      log.setAttribute('aria-busy', String(isBusy));
      regenerate.hidden = isBusy || messages.length === 0;
    },
  });
  const { task, problem } = workspace;
  const follow = createFollower(log);

  /** @param {string} [text] default: the field, into which the words of a recording come */
  const ask = async (text) => {
    if (task.isRunning()) return;
    await attachments.settled();
    const question = toUser((text ?? input.value).trim(), attachments.pictures());
    if ((question.content === '' && !question.pictures) || task.isRunning()) return;
    messages.push(question);
    log.append(userView(question));
    suggestions.hidden = true;
    input.value = '';
    attachments.show([]);
    await answerLast(question);
  };

  const regenerate = quietButton(
    'Regenerate',
    () => {
      const last = messages.findLastIndex(({ role }) => role === 'user');
      const question = messages[last];
      if (question?.role !== 'user' || task.isRunning()) return;
      messages.length = last + 1;
      while (log.lastElementChild?.matches('.message-user') === false) log.lastElementChild.remove();
      void answerLast(question);
    },
    { hidden: messages.length === 0 },
  );

  /** A picture needs a model that takes pictures, also later in the conversation. */
  const chooseForPictures = () => {
    notice.textContent = '';
    if (mayTakePictures(workspace.model()) || !messages.some(hasPictures)) return;
    const other = context.models.find(mayTakePictures);
    if (other === undefined) return;
    notice.textContent = `${other.id} answers, since ${workspace.model().id} takes no pictures.`;
    workspace.choose(other.id);
  };

  /** @param {UserMessage} question the last message */
  const answerLast = async (question) => {
    chooseForPictures();
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
          if (!signal.aborted) {
            input.value ||= question.content;
            attachments.show(question.pictures ?? []);
          }
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
    void ask();
  });

  restore(messages, log, workspace.model().id);
  suggestions.hidden = messages.length > 0;
  const composer = element(
    'div',
    { class: 'composer' },
    notice,
    element('label', { class: 'visually-hidden', for: (input.id = 'chat-input') }, 'Message'),
    element(
      'div',
      { class: 'message-box' },
      attachments.root,
      input,
      element(
        'div',
        { class: 'row' },
        attachments.button,
        dictate,
        element('span', { class: 'spread' }),
        task.button,
      ),
    ),
    element(
      'div',
      { class: 'row' },
      regenerate,
      element('span', { class: 'spread' }),
      workspace.curlButton,
      clear,
    ),
  );
  workspace.main.classList.add('chat');
  workspace.main.append(suggestions, log, problem, composer, workspace.curlShown);
  return { root: workspace.root, take: (file) => attachments.add([file]) };
}

/** @param {string} content @param {readonly import('./attachments.js').Attachment[]} [pictures] @returns {UserMessage} */
function toUser(content, pictures = []) {
  return { role: 'user', content, ...(pictures.length > 0 ? { pictures } : {}) };
}

/** @param {Message} message */
function hasPictures(message) {
  return message.role === 'user' && message.pictures !== undefined;
}

/** @param {Model} model */
function takesPictures({ input_modalities: modalities }) {
  return modalities?.includes('image') === true;
}

/** Models on other machines, and those that are not loaded yet, don't say so. @param {Model} model */
function mayTakePictures(model) {
  return model.input_modalities === undefined || takesPictures(model);
}

/**
 * @param {import('../../api/client.js').Client} client
 * @param {string} model
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function transcribe(client, model, file, signal) {
  /** @type {(readonly [string, string | File])[]} */
  const form = [
    ['file', file],
    ['model', model],
  ];
  const response = await client.send({ path: '/audio/transcriptions', form }, signal);
  return /** @type {{ text: string }} */ (await response.json()).text;
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
    if (message.role === 'user') log.append(userView(message));
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
