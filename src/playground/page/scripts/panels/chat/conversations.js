/**
 * * @typedef {import('./messages.js').Message} Message
 * @typedef {{ id: string, title: string, updatedAt: number, messages: Message[] }} Conversation default title: its first question
 */

/**
 * * Stores conversations in the browser, one entry each, to avoid conflicts between tabs.
 *
 * @typedef {object} ConversationStore
 * @property {() => Conversation[]} list the newest first
 * @property {() => Conversation} current this tab's conversation before a reload, or a new one
 * @property {(conversation: Conversation) => void} choose restores it in this tab after a reload
 * @property {(conversation: Conversation) => void} save may remove the oldest to stay within limits
 * @property {(id: string) => void} remove
 */

const prefix = 'slashv1-conversation:';
const currentName = 'slashv1-conversation';

/** Larger conversations last until the next reload. */
export const maxConversations = 50;
/** Browsers store about five million per site. */
export const maxCharacters = 4_000_000;

const maxTitleLength = 60;

/** @returns {Conversation} */
export function newConversation() {
  // `crypto.randomUUID` exists only on pages of https and localhost.
  const id = Date.now().toString(36) + Math.random().toString(36).slice(2);
  return { id, title: '', updatedAt: Date.now(), messages: [] };
}

/** @param {Conversation} conversation @returns {string} */
export function titleOf({ title, messages }) {
  if (title !== '') return title;
  const first = messages.find(({ role }) => role === 'user');
  const pictures = first?.role === 'user' ? first.pictures : undefined;
  const words = (first?.content || pictures?.[0]?.name || 'New conversation').trim().replace(/\s+/g, ' ');
  return words.length > maxTitleLength ? `${words.slice(0, maxTitleLength - 1)}…` : words;
}

/**
 * @param {Storage} kept by the browser
 * @param {Storage} tab lasts as long as the tab
 * @returns {ConversationStore}
 */
export function createConversationStore(kept, tab) {
  const names = () =>
    Array.from({ length: kept.length }, (_, place) => kept.key(place) ?? '').filter((name) =>
      name.startsWith(prefix),
    );
  const list = () =>
    names()
      .flatMap((name) => parse(kept.getItem(name)) ?? [])
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
  const remove = (/** @type {string} */ id) => kept.removeItem(prefix + id);

  return {
    list,
    current: () => parse(kept.getItem(prefix + tab.getItem(currentName))) ?? newConversation(),
    choose: ({ id }) => tab.setItem(currentName, id),
    remove,
    save(conversation) {
      remove(conversation.id);
      if (conversation.messages.length === 0) return;
      const text = JSON.stringify(conversation);
      if (text.length > maxCharacters) return;
      const others = list().map(({ id }) => ({ id, characters: kept.getItem(prefix + id)?.length ?? 0 }));
      const dropOldest = () => {
        const oldest = others.pop();
        if (oldest !== undefined) remove(oldest.id);
        return oldest !== undefined;
      };
      const isTooMuch = () =>
        others.length >= maxConversations ||
        others.reduce((sum, { characters }) => sum + characters, text.length) > maxCharacters;
      while (isTooMuch()) dropOldest();
      do {
        try {
          kept.setItem(prefix + conversation.id, text);
          return;
        } catch {
          // The browser's limit is lower than expected.
        }
      } while (dropOldest());
    },
  };
}

/** @param {string | null} text @returns {Conversation | undefined} */
function parse(text) {
  try {
    const { id, title, updatedAt, messages } = JSON.parse(text ?? 'null');
    return typeof id === 'string' && Array.isArray(messages)
      ? { id, title: String(title ?? ''), updatedAt: Number(updatedAt) || 0, messages }
      : undefined;
  } catch {
    return undefined;
  }
}
