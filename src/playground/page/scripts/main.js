import { ApiError } from './api/api-error.js';
import { createClient } from './api/client.js';
import { element } from './dom/element.js';
import { keepDroppedFiles } from './dom/file-drop.js';
import { createTabs } from './dom/tabs.js';
import { createGate } from './gate.js';
import { createChatPanel } from './panels/chat/chat-panel.js';
import { createDetectionPanel } from './panels/detection/detection-panel.js';
import { createEmbeddingPanel } from './panels/embedding/embedding-panel.js';
import { errorView } from './panels/error-view.js';
import { createExchangeView } from './panels/exchange-view.js';
import { createImagePanel } from './panels/image/image-panel.js';
import { createReferencePanel } from './panels/reference/reference-panel.js';
import { createRerankPanel } from './panels/rerank/rerank-panel.js';
import { createSpeechPanel } from './panels/speech/speech-panel.js';
import { createTalkPanel } from './panels/talk/talk-panel.js';
import { createTranscriptionPanel } from './panels/transcription/transcription-panel.js';
import { currentKey, saveKey, takeKeyFromAddress } from './session-key.js';

/**
 * @typedef {import('./panels/workspace.js').Model} Model
 * @typedef {import('./panels/workspace.js').Panel} Panel
 */

const kinds = /** @type {const} */ ([
  { category: 'chat', label: 'Chat', create: createChatPanel },
  { category: 'voice', label: 'Talk', create: createTalkPanel },
  { category: 'image', label: 'Image', create: createImagePanel },
  { category: 'detection', label: 'Detect', create: createDetectionPanel },
  { category: 'transcription', label: 'Listen', create: createTranscriptionPanel },
  { category: 'speech', label: 'Speak', create: createSpeechPanel },
  { category: 'embedding', label: 'Compare', create: createEmbeddingPanel },
  { category: 'rerank', label: 'Rank', create: createRerankPanel },
]);

const content = /** @type {HTMLElement} */ (document.querySelector('#content'));
const navigation = /** @type {HTMLElement} */ (document.querySelector('#navigation'));
const asides = /** @type {HTMLElement} */ (document.querySelector('#asides'));
const changeKeyButton = /** @type {HTMLButtonElement} */ (document.querySelector('#change-key'));

const base = new URL(document.documentElement.dataset['api'] ?? '/v1', document.baseURI).href.replace(
  /\/+$/,
  '',
);
const client = createClient(base, currentKey);

/** @param {unknown} [error] */
function askForKey(error) {
  const gate = createGate(async (key) => {
    saveKey(key);
    await open();
    // The previously focused field is gone.
    navigation.querySelector(/** @type {'button'} */ ('[aria-selected=true]'))?.focus();
  });
  content.replaceChildren(gate.root);
  if (error !== undefined) gate.showError(error);
  gate.focus();
}

// Reload, to end all work with the old key.
function changeKey() {
  saveKey('');
  location.reload();
}

/** @param {readonly Model[]} models */
function showPanels(models) {
  /** @type {Map<string, Panel>} */
  const panels = new Map();
  const tabs = kinds.flatMap(({ category, label, create }) => {
    const [first, ...others] = models.filter((model) => model.category === category);
    if (first === undefined) return [];
    const exchange = createExchangeView();
    const panel = create({
      client: createClient(base, currentKey, (...both) => void exchange.show(...both)),
      currentKey,
      exchange: exchange.root,
      models: [first, ...others],
      modelOf: (other) => models.find((model) => model.category === other),
      handOver(other, file) {
        opened.open(other);
        panels.get(other)?.take?.(file);
      },
      open: () => opened.open(category),
      changeKey,
    });
    panels.set(category, panel);
    return [{ id: category, label, icon: category, panel: panel.root }];
  });
  const [first, ...others] = tabs;
  if (first === undefined) {
    content.replaceChildren(element('p', { class: 'gate' }, 'This server has no models.'));
    return;
  }
  const { root, onOpen } = createReferencePanel({ client, changeKey });
  const reference = {
    id: 'reference',
    label: 'API',
    icon: /** @type {const} */ ('reference'),
    panel: root,
    onOpen,
  };
  const opened = createTabs([first, ...others, reference]);
  navigation.replaceChildren(opened.list);
  asides.replaceChildren(...[...panels.values()].flatMap(({ aside }) => aside ?? []));
  content.replaceChildren(...tabs.map(({ panel }) => panel), root);
  changeKeyButton.hidden = currentKey() === '';
}

async function open() {
  try {
    const response = await client.send({ path: '/models' });
    const { data } = /** @type {{ data: Model[] }} */ (await response.json());
    showPanels(data);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      askForKey(currentKey() === '' ? undefined : error);
      return;
    }
    const alert = errorView(error, changeKey);
    content.replaceChildren(element('div', { class: 'gate' }, alert));
  }
}

changeKeyButton.addEventListener('click', changeKey);
addEventListener('hashchange', () => {
  if (takeKeyFromAddress()) location.reload();
});
keepDroppedFiles();
takeKeyFromAddress();
void open();
