/**
 * @typedef {import('../../../../../categories/chat/wire/chat/schema.ts').ChatCompletionChunk} Chunk
 * @typedef {Chunk['choices'][number]['delta']} Delta
 * @typedef {{ id: string, type: 'function', function: { name: string, arguments: string } }} ToolCall
 * @typedef {import('./attachments.js').Attachment} Attachment
 * @typedef {{ role: 'user', content: string, pictures?: readonly Attachment[] }} UserMessage
 * @typedef {{ role: 'tool', content: string, tool_call_id: string }} ToolMessage
 * @typedef {{ role: 'assistant', content: string, reasoning_content?: string, tool_calls?: ToolCall[] }} AssistantMessage
 * @typedef {UserMessage | ToolMessage | AssistantMessage} Message
 */

/** @param {string} content @param {readonly Attachment[]} [pictures] @returns {UserMessage} */
export function toUser(content, pictures = []) {
  return { role: 'user', content, ...(pictures.length > 0 ? { pictures } : {}) };
}

/** @param {Message} message */
export function hasPictures(message) {
  return message.role === 'user' && message.pictures !== undefined;
}

/** @returns {AssistantMessage} */
export function emptyAnswer() {
  return { role: 'assistant', content: '' };
}

/**
 * *
 *
 * @param {AssistantMessage} message
 * @param {Delta} delta
 */
export function addDelta(message, delta) {
  message.content += delta.content ?? '';
  if (delta.reasoning_content) {
    message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content;
  }
  for (const { index, id, function: part } of delta.tool_calls ?? []) {
    message.tool_calls ??= [];
    const call = (message.tool_calls[index] ??= {
      id: '',
      type: 'function',
      function: { name: '', arguments: '' },
    });
    call.id ||= id ?? '';
    call.function.name += part?.name ?? '';
    call.function.arguments += part?.arguments ?? '';
  }
}

/**
 * * The messages to send: without reasoning, and with pictures as message parts.
 *
 * @param {readonly Message[]} messages
 * @param {string} system
 * @param {(picture: Attachment) => string} [urlOf]
 */
export function toSent(messages, system, urlOf = ({ url }) => url) {
  const sent = messages.map((message) => {
    if (message.role === 'user') return toUserMessage(message, urlOf);
    if (message.role === 'tool') return message;
    const { reasoning_content: _thoughts, ...rest } = message;
    return rest;
  });
  return system.trim() === '' ? sent : [{ role: 'system', content: system }, ...sent];
}

/** @param {UserMessage} message @param {(picture: Attachment) => string} urlOf */
function toUserMessage({ role, content, pictures = [] }, urlOf) {
  if (pictures.length === 0) return { role, content };
  const parts = pictures.map((picture) => ({ type: 'image_url', image_url: { url: urlOf(picture) } }));
  return { role, content: content === '' ? parts : [...parts, { type: 'text', text: content }] };
}
