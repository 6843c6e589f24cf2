import { fileContent } from '../../api/curl.js';
import { announce } from '../../dom/announce.js';
import { splitDataUrl } from '../../dom/bytes.js';
import { saveFile } from '../../dom/download.js';
import { element, field, quietButton, select, toggle } from '../../dom/element.js';
import { createMenu } from '../../dom/menu.js';
import { errorView } from '../error-view.js';
import { createRecordButton } from '../recording/record-button.js';
import { playWav } from '../speech/play-wav.js';
import { spokenSample } from '../spoken-sample.js';
import { createWorkspace } from '../workspace.js';
import { createAttachments } from './attachments.js';
import { createConversationList } from './conversation-list.js';
import { createConversationStore, newConversation, titleOf } from './conversations.js';
import { createFollower } from './follow.js';
import { converse } from './converse.js';
import { exampleTools } from './example-tools.js';
import { createAnswerView, userView } from './message-view.js';
import { toJson, toMarkdown } from './export.js';
import { toSent } from './messages.js';
import { createToolEditor } from './own-tools.js';
import { createSuggestions } from './suggestions.js';

/**
 * @typedef {import('./conversations.js').Conversation} Conversation
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./messages.js').UserMessage} UserMessage
 * @typedef {import('../workspace.js').Model} Model
 * @typedef {import('./message-view.js').AnswerView} AnswerView
 */

const spokenQuestion = { label: 'A spoken question', text: 'What is twenty-seven plus fifty-eight?' };

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createChatPanel(context) {
  const { client } = context;
  const store = createConversationStore(localStorage, sessionStorage);
  let current = store.current();
  const tools = exampleTools(context).map((tool) => ({ tool, control: toggle(tool.label) }));
  const ownTools = createToolEditor();
  const log = element('div', { class: 'conversation' });
  const notice = element('p', { class: 'status', role: 'status' });
  const input = element('textarea', { class: 'input', rows: '1', placeholder: 'Say something' });
  const system = element('textarea', { class: 'input', rows: '2', placeholder: 'None' });
  const transcriber = context.modelOf('transcription');
  const speaker = context.modelOf('speech');
  const readAloud =
    speaker &&
    (async (/** @type {string} */ text, /** @type {AbortSignal} */ signal) => {
      try {
        const json = { model: speaker.id, input: toSpoken(text) };
        const response = await client.send({ path: '/audio/speech', json }, signal);
        const { played } = await playWav(response, signal);
        await played;
      } catch (error) {
        if (!signal.aborted) workspace.showError(error);
      }
    });
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
  const list = createConversationList({
    onNew() {
      context.open();
      void show(newConversation());
    },
    onOpen(conversation) {
      context.open();
      void show(conversation);
    },
    onRename(listed, title) {
      // The current one may have more messages than the list had.
      const conversation = listed.id === current.id ? current : listed;
      conversation.title = title;
      save(conversation);
    },
    onDelete: ({ id }) => void forget(id),
  });
  const showList = () => list.show(store.list(), current.id);
  /** @param {Conversation} conversation */
  const save = (conversation) => {
    store.save(conversation);
    showList();
  };
  /** @param {Conversation} conversation */
  const show = async (conversation) => {
    workspace.task.stop();
    await workspace.task.idle();
    current = conversation;
    store.choose(current);
    attachments.show([]);
    notice.textContent = '';
    workspace.problem.replaceChildren();
    showMessages();
    showList();
    announce(`Conversation: ${titleOf(current)}`);
    input.focus();
    follow();
  };
  /** An answer that is stopped is still saved, so the removal comes after it. @param {string} id */
  const forget = async (id) => {
    if (id === current.id) await show(newConversation());
    store.remove(id);
    showList();
  };
  const showMessages = () => {
    const { messages } = current;
    log.replaceChildren();
    restore(messages, log, () => createAnswerView(workspace.model().id, readAloud), edit);
    suggestions.hidden = messages.length > 0;
    showActions(false);
  };
  const showActions = (/** @type {boolean} */ isBusy) => {
    const isEmpty = current.messages.length === 0;
    regenerate.hidden = isBusy || isEmpty;
    exports.root.hidden = isEmpty;
  };
  /** @param {UserMessage} question @param {string} text */
  const edit = (question, text) =>
    void askInstead(current.messages.indexOf(question), toUser(text, question.pictures));

  /** @param {readonly Message[]} conversation @param {Parameters<typeof toSent>[2]} [urlOf] @param {string} [model] */
  const toRequest = (conversation, urlOf, model = workspace.model().id) => {
    const on = tools.filter(({ control }) => control.input.checked).map(({ tool }) => tool);
    const offered = [...on, ...ownTools.tools()].map(({ definition }) => definition);
    const json = {
      model,
      messages: toSent(conversation, system.value, urlOf),
      ...workspace.parameters.changed(),
      ...(offered.length > 0 ? { tools: offered } : {}),
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
  const models = context.models.map(({ id }) => ({ value: id, label: id }));
  const second = select([{ value: '', label: 'None' }, ...models]);
  const secondField = field(
    'Second model',
    second,
    'Answers beside the first, whose answers the conversation keeps.',
  );
  secondField.hidden = models.length < 2;
  const workspace = createWorkspace(context, {
    title: 'Chat',
    settings: [secondField, toolbox, ownTools.root, settings],
    lead: 'Talk to a model and let it call tools.',
    action: 'Send',
    onStart: () => void ask(),
    describe() {
      const pictures = attachments.pictures();
      const text = input.value.trim();
      const hasNext = text !== '' || pictures.length > 0 || current.messages.length === 0;
      const next = hasNext ? [toUser(text || (pictures.length > 0 ? '' : 'Hello'), pictures)] : [];
      /** @type {string[]} */
      const files = [];
      const urlOf = (/** @type {import('./attachments.js').Attachment} */ { name, url }) =>
        splitDataUrl(url).head + fileContent(files.push(name) - 1);
      return { request: toRequest([...current.messages, ...next], urlOf), files };
    },
    onBusy(isBusy) {
      log.setAttribute('aria-busy', String(isBusy));
      showActions(isBusy);
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
    const conversation = current;
    const view = userView(question, edit);
    conversation.messages.push(question);
    log.append(view);
    suggestions.hidden = true;
    input.value = '';
    attachments.show([]);
    await answerLast((isFailure) => {
      conversation.messages.pop();
      view.remove();
      suggestions.hidden = conversation.messages.length > 0;
      if (!isFailure) return;
      input.value ||= question.content;
      attachments.show(question.pictures ?? []);
    });
  };

  /**
   * Asks again from a place on. The messages that were there come back where no answer comes.
   *
   * @param {number} place
   * @param {UserMessage} question
   */
  const askInstead = async (place, question) => {
    if (task.isRunning()) return;
    const conversation = current;
    const questionsBefore = conversation.messages
      .slice(0, place)
      .filter(({ role }) => role === 'user').length;
    const formerViews = [...log.children];
    const first = log.querySelectorAll('.message-user')[questionsBefore];
    const former = conversation.messages.splice(place, Infinity, question);
    const views = formerViews.slice(0, first && formerViews.indexOf(first));
    log.replaceChildren(...views, userView(question, edit));
    await answerLast((isFailure) => {
      conversation.messages.splice(place, Infinity, ...former);
      log.replaceChildren(...formerViews);
      if (isFailure && former[0]?.content !== question.content) input.value ||= question.content;
    });
  };

  const regenerate = quietButton('Regenerate', () => {
    const last = current.messages.findLastIndex(({ role }) => role === 'user');
    const question = current.messages[last];
    if (question?.role === 'user') void askInstead(last, question);
  });

  /** A picture needs a model that takes pictures, also later in the conversation. */
  const chooseForPictures = () => {
    notice.textContent = '';
    if (mayTakePictures(workspace.model()) || !current.messages.some(hasPictures)) return;
    const other = context.models.find(mayTakePictures);
    if (other === undefined) return;
    notice.textContent = `${other.id} answers, since ${workspace.model().id} takes no pictures.`;
    workspace.choose(other.id);
  };

  /** @param {Message[]} messages @param {AbortSignal} signal */
  const answerWith = async (messages, signal) => {
    /** @param {Message[]} conversation @param {string} model @param {HTMLElement} place */
    const answerIn = (conversation, model, place) =>
      converse(conversation, {
        ask: (sent) => client.send(toRequest(sent, undefined, model), signal),
        tools: [...ownTools.tools(), ...tools.map(({ tool }) => tool)],
        speaker: model,
        readAloud,
        log: place,
        signal,
      });
    const first = workspace.model().id;
    if (second.value === '') return answerIn(messages, first, log);
    const [left, right] = [element('div', { class: 'side' }), element('div', { class: 'side' })];
    const pair = element('div', { class: 'pair' }, left, right);
    log.append(pair);
    const other = answerIn([...messages], second.value, right).catch((error) => {
      if (!signal.aborted) right.append(errorView(error, context.changeKey));
    });
    try {
      await answerIn(messages, first, left);
    } finally {
      if (left.childElementCount === 0) pair.remove();
      else await other;
    }
  };

  /** @param {(isFailure: boolean) => void} takeBack where no answer comes, since somebody stopped it or it failed */
  const answerLast = async (takeBack) => {
    chooseForPictures();
    const conversation = current;
    conversation.updatedAt = Date.now();
    store.choose(conversation);
    save(conversation);
    const view = log.lastElementChild;
    follow();
    await task.run(async (signal) => {
      try {
        await answerWith(conversation.messages, signal);
      } catch (error) {
        if (log.lastElementChild === view) takeBack(!signal.aborted);
        throw error;
      } finally {
        save(conversation);
      }
    });
  };

  const exportButton = (
    /** @type {string} */ label,
    /** @type {typeof toJson} */ write,
    /** @type {string} */ end,
    /** @type {string} */ type,
  ) =>
    quietButton(label, () => {
      saveFile(new Blob([write(current, system.value)], { type }), `${fileName(titleOf(current))}.${end}`);
      exports.close();
    });
  const exports = createMenu(
    'Export',
    { look: 'quiet-button' },
    exportButton('Markdown', toMarkdown, 'md', 'text/markdown'),
    exportButton('JSON', toJson, 'json', 'application/json'),
  );

  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void ask();
  });

  showMessages();
  showList();
  // Another tab has changed its conversations.
  addEventListener('storage', showList);
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
      exports.root,
      workspace.curlButton,
    ),
  );
  workspace.main.classList.add('chat');
  workspace.main.append(suggestions, log, problem, composer, workspace.curlShown);
  return { root: workspace.root, aside: list.root, take: (file) => attachments.add([file]) };
}

/** @param {string} title */
function fileName(title) {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'conversation';
}

/** @param {string} content @param {readonly import('./attachments.js').Attachment[]} [pictures] @returns {UserMessage} */
function toUser(content, pictures = []) {
  return { role: 'user', content, ...(pictures.length > 0 ? { pictures } : {}) };
}

/** Markdown without its marks, which nobody wants to hear. @param {string} markdown */
function toSpoken(markdown) {
  return (
    markdown
      .replaceAll(/^ *(?:[#>*+-]+|```.*) */gm, '')
      .replaceAll(/[*_`|]+/g, ' ')
      .trim() || '…'
  );
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
 * Shows the messages of a conversation.
 *
 * @param {readonly Message[]} messages
 * @param {HTMLElement} log
 * @param {() => AnswerView} createView
 * @param {Parameters<typeof userView>[1]} onEdit
 */
function restore(messages, log, createView, onEdit) {
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
