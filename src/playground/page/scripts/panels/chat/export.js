import { titleOf } from './conversations.js';
import { toSent } from './messages.js';

/** @typedef {import('./conversations.js').Conversation} Conversation */

/**
 * * The conversation as a request's `messages`, with its title.
 *
 * @param {Conversation} conversation
 * @param {string} system
 */
export function toJson(conversation, system) {
  return JSON.stringify(
    { title: titleOf(conversation), messages: toSent(conversation.messages, system) },
    null,
    2,
  );
}

/**
 * * A readable conversation: pictures by name, calls and results as code blocks.
 *
 * @param {Conversation} conversation
 * @param {string} system
 */
export function toMarkdown(conversation, system) {
  const parts = conversation.messages.map((message) => {
    if (message.role === 'tool') return `**Result**\n\n${codeBlock(message.content)}`;
    if (message.role === 'user') {
      const pictures = (message.pictures ?? []).map(({ name }) => `(Picture: ${name})`);
      return ['**You**', ...pictures, message.content].filter(Boolean).join('\n\n');
    }
    const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: given } }) =>
      codeBlock(`${name}(${given})`),
    );
    return ['**Assistant**', message.content, ...calls].filter(Boolean).join('\n\n');
  });
  const instructions = system.trim() === '' ? [] : [`**System**\n\n${system.trim()}`];
  return `${[`# ${titleOf(conversation)}`, ...instructions, ...parts].join('\n\n')}\n`;
}

/** @param {string} text @returns {string} fenced with more backticks than it contains */
function codeBlock(text) {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
