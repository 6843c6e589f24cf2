import type { ConnectionFault } from './fetch-with-certificates.ts';

/** Error codes of a connection that the other side has closed. */
const codes = new Set(['ECONNRESET', 'EPIPE']);
/** Connections that may have been closed at once. */
const mostKeptOpen = 8;

// Source: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
/**
 * Sends a request again where its connection was kept open from an earlier one and was closed before an answer began: servers
 * close connections that were idle for a while, maybe at the moment when the next request leaves. Several may be closed at once.
 */
export async function sendAgain<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let times = 1; ; times++) {
    try {
      return await send();
    } catch (error) {
      const { code = '', wasKeptOpen } = ((error as Error).cause ?? {}) as ConnectionFault;
      if (times > mostKeptOpen || !wasKeptOpen || !codes.has(code)) throw error;
    }
  }
}
