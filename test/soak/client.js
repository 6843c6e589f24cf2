import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {number | 'left' | 'closed' | 'broken'} Outcome status, or how it ended; `broken` is a stream without its end */

/**
 * Sends a request and reads its answer to the end.
 *
 * @param {string} url
 * @param {string} key
 * @param {object | FormData | string} body
 * @param {{ leaveAfterMs?: number, headers?: Record<string, string>, leavesAtOnce?: boolean }} [options]
 * @returns {Promise<Outcome>}
 */
export async function send(
  url,
  key,
  body,
  { leaveAfterMs = 180_000, headers = {}, leavesAtOnce = false } = {},
) {
  const isForm = body instanceof FormData;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), leaveAfterMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${key}`,
        ...(isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: controller.signal,
    });
    if (leavesAtOnce) {
      await response.body?.getReader().read();
      controller.abort();
      return 'left';
    }
    const bytes = Buffer.from(await response.arrayBuffer());
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    // Streams of responses end with an event of theirs; `incomplete` is an answer that its limit of tokens ended.
    const isWhole =
      !isStream || /data: \[DONE\]\s*$|"response\.(completed|incomplete)"/.test(bytes.toString());
    return isWhole ? response.status : 'broken';
  } catch {
    return controller.signal.aborted ? 'left' : 'closed';
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends the beginning of a request and holds its connection.
 *
 * @param {string} url
 * @param {string} key
 * @param {{ type: string, length: number, start: Buffer, holdMs: number }} request
 * @returns {Promise<Outcome>} status of what was answered meanwhile
 */
export async function sendHalf(url, key, { type, length, start, holdMs }) {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  );
  socket.write(start);
  for (let waited = 0; !socket.closed && waited < holdMs; waited += 500) await delay(500);
  const isOpen = !socket.closed;
  socket.destroy();
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  return status === undefined ? (isOpen ? 'left' : 'closed') : Number(status);
}

/**
 * A form with a recording.
 *
 * @param {Uint8Array} bytes
 * @returns {FormData}
 */
export function recordingForm(bytes) {
  const form = new FormData();
  form.append('model', 'tiny-whisper');
  form.append('file', new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]), 'recording');
  return form;
}
