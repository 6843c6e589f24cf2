import { announce } from '../../dom/announce.js';
import { element, quietButton } from '../../dom/element.js';
import { createMenu } from '../../dom/menu.js';
import { maxCharacters, maxConversations, titleOf } from './conversations.js';

/** @typedef {import('./conversations.js').Conversation} Conversation */

const bounds = `The last ${maxConversations}, up to ${maxCharacters / 1e6} MB, stay in this browser.`;

/**
 * * The conversations of this browser, in the sidebar or, on narrow screens, in a menu.
 *
 * @typedef {object} ConversationList
 * @property {HTMLElement} root
 * @property {(conversations: readonly Conversation[], currentId: string) => void} show
 */

/**
 * @param {object} options
 * @param {() => void} options.onNew
 * @param {(conversation: Conversation) => void} options.onOpen
 * @param {(conversation: Conversation, title: string) => void} options.onRename
 * @param {(conversation: Conversation) => void} options.onDelete
 * @returns {ConversationList}
 */
export function createConversationList({ onNew, onOpen, onRename, onDelete }) {
  const items = element('ul', { class: 'conversation-items' });
  const hint = element('p', { class: 'hint' });
  const begin = quietButton('New conversation', () => {
    close();
    onNew();
  });
  const isNarrow = matchMedia('(width < 48rem)');
  const closes = () => isNarrow.matches;
  const { root, close } = createMenu('Conversations', { look: 'label', closes }, begin, items, hint);
  root.classList.add('conversations');

  /** @param {Conversation} conversation @param {boolean} isCurrent */
  const itemOf = (conversation, isCurrent) => {
    const title = titleOf(conversation);
    const open = element(
      'button',
      { type: 'button', class: 'conversation-name', 'aria-current': isCurrent ? 'true' : undefined, title },
      title,
    );
    open.addEventListener('click', () => {
      close();
      onOpen(conversation);
    });
    const rename = quietButton('✎', () => editTitle(item, conversation, title), {
      class: 'quiet-button small-button',
      'aria-label': `Rename ${title}`,
    });
    const remove = deleteButton(title, () => {
      begin.focus();
      onDelete(conversation);
    });
    const item = element(
      'li',
      { class: 'conversation-item' },
      open,
      element('div', { class: 'conversation-actions' }, rename, remove),
    );
    return item;
  };
  /** @param {HTMLElement} item @param {Conversation} conversation @param {string} title */
  const editTitle = (item, conversation, title) => {
    const former = [...item.childNodes];
    const input = element('input', {
      class: 'input',
      value: title,
      maxlength: 100,
      'aria-label': 'Name of the conversation',
    });
    let isDone = false;
    const end = (/** @type {boolean} */ isKept) => {
      if (isDone) return;
      isDone = true;
      const wanted = input.value.trim();
      if (isKept && wanted !== '' && wanted !== title) {
        onRename(conversation, wanted);
        announce(`Renamed to ${wanted}.`);
      } else item.replaceChildren(...former);
      items.querySelector(`[data-id="${conversation.id}"]`)?.querySelector('button')?.focus();
    };
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault();
      end(event.key === 'Enter' && !event.isComposing);
    });
    input.addEventListener('blur', () => end(true));
    item.replaceChildren(input);
    input.select();
  };

  const orient = () => {
    root.open = !isNarrow.matches;
  };
  isNarrow.addEventListener('change', orient);
  orient();
  return {
    root,
    show(conversations, currentId) {
      items.replaceChildren(
        ...conversations.map((conversation) => {
          const item = itemOf(conversation, conversation.id === currentId);
          item.dataset['id'] = conversation.id;
          return item;
        }),
      );
      hint.textContent = conversations.length === 0 ? '' : bounds;
    },
  };
}

/** A second click confirms. @param {string} title @param {() => void} onDelete */
function deleteButton(title, onDelete) {
  let isAsked = false;
  const button = quietButton(
    '×',
    () => {
      if (isAsked) {
        announce(`${title} is deleted.`);
        onDelete();
        return;
      }
      isAsked = true;
      button.textContent = 'Delete?';
      button.setAttribute('aria-label', `Really delete ${title}`);
    },
    { class: 'quiet-button small-button', 'aria-label': `Delete ${title}` },
  );
  button.addEventListener('blur', () => {
    isAsked = false;
    button.textContent = '×';
    button.setAttribute('aria-label', `Delete ${title}`);
  });
  return button;
}
