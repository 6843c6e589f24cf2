import { fileContent } from '../../api/curl.js';
import { announce } from '../../dom/announce.js';
import { splitDataUrl } from '../../dom/bytes.js';
import { element, field, quietButton, select, toggle } from '../../dom/element.js';
import { createRecordButton } from '../recording/record-button.js';
import { spokenSample } from '../spoken-sample.js';
import { createWorkspace } from '../workspace.js';
import { answerPair } from './answer-pair.js';
import { createAttachments } from './attachments.js';
import { createComposer } from './composer.js';
import { createConversationList } from './conversation-list.js';
import { createConversationStore, newConversation, titleOf } from './conversations.js';
import { createFollower } from './follow.js';
import { converse } from './converse.js';
import { exampleTools } from './example-tools.js';
import { createExportMenu } from './export-menu.js';
import { createAnswerView, userView } from './message-view.js';
import { hasPictures, toSent, toUser } from './messages.js';
import { createToolEditor } from './own-tools.js';
import { createReadAloud } from './read-aloud.js';
import { restore } from './restore.js';
import { createSuggestions } from './suggestions.js';
import { mayTakePictures, takesPictures } from './takes-pictures.js';
import { transcribe } from './transcribe.js';

/**
 * @typedef {import('./conversations.js').Conversation} Conversation
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./messages.js').UserMessage} UserMessage
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
  const readAloud = speaker && createReadAloud(client, speaker.id, (error) => workspace.showError(error));
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
      // The current conversation may have more messages than the list.
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
  /** A stopped answer is still saved, so remove the conversation afterwards. @param {string} id */
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

  /** @param {string} [text] default: the input field, including transcripts */
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
   * * Replaces a question and the later messages; restores them if the answer fails.
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

  /** Pictures anywhere in the conversation need a vision model. */
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
    return answerPair(log, {
      first: (place) => answerIn(messages, first, place),
      second: (place) => answerIn([...messages], second.value, place),
      changeKey: context.changeKey,
      signal,
    });
  };

  /** @param {(isFailure: boolean) => void} onFailure called if the answer is stopped or fails */
  const answerLast = async (onFailure) => {
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
        if (log.lastElementChild === view) onFailure(!signal.aborted);
        throw error;
      } finally {
        save(conversation);
      }
    });
  };

  const exports = createExportMenu(() => ({ conversation: current, system: system.value }));

  showMessages();
  showList();
  // Updates from a different tab.
  addEventListener('storage', showList);
  const composer = createComposer(input, {
    notice,
    attached: attachments.root,
    before: [attachments.button, dictate],
    send: task.button,
    below: [regenerate, exports.root, workspace.curlButton],
    onEnter: () => void ask(),
  });
  workspace.main.classList.add('chat');
  workspace.main.append(suggestions, log, problem, composer, workspace.curlShown);
  return { root: workspace.root, aside: list.root, take: (file) => attachments.add([file]) };
}
