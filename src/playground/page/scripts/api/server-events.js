import { ApiError } from './api-error.js';

/**
 * * The data of each server-sent event of a response.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<string, void, void>}
 */
export async function* readEvents(response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      pending += value ?? '';
      const blocks = pending.split(/\r\n\r\n|\n\n|\r\r/);
      pending = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== undefined) yield data;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @param {string} block @returns {string | undefined} `undefined` for comments */
function dataOf(block) {
  const lines = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}

/**
 * * The events of a response as objects. Throws error events and connection failures.
 *
 * @template Event
 * @param {Response} response
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Event, void, void>}
 */
export async function* readJsonEvents(response, signal) {
  const requestId = response.headers.get('x-request-id') ?? '';
  const events = readEvents(response);
  try {
    for (;;) {
      const { done, value } = await next(events, signal, requestId);
      if (done === true) return;
      // Keep reading to the end: leaving early would look like a disconnect.
      if (value === '[DONE]') continue;
      const event = parsed(value, requestId);
      if (event.error) {
        const { message, code, param } = event.error;
        throw new ApiError(message, { code: code ?? '', param: param ?? '', requestId });
      }
      yield event;
    }
  } finally {
    await events.return();
  }
}

/**
 * @param {AsyncGenerator<string, void, void>} events
 * @param {AbortSignal} signal
 * @param {string} requestId
 */
async function next(events, signal, requestId) {
  try {
    return await events.next();
  } catch {
    signal.throwIfAborted();
    throw new ApiError('The connection broke off in the middle of the answer.', { requestId });
  }
}

/** @param {string} data @param {string} requestId */
function parsed(data, requestId) {
  try {
    return JSON.parse(data);
  } catch {
    throw new ApiError('The answer contains something that is not JSON.', { requestId });
  }
}
