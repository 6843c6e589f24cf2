import type { ConnectionFault } from './fetch-with-certificates.ts';

/** Error codes of a connection closed by the remote side. */
const codes = new Set(['ECONNRESET', 'EPIPE']);
/** Maximum kept-open connections that may be closed simultaneously. */
const maxKeptOpen = 8;

// Source: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
/**
 * Retries a request if its connection was kept open and closed before a response began: servers close idle connections,
 * possibly just when the next request is sent. Several may be closed simultaneously.
 */
export async function sendAgain<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let times = 1; ; times++) {
    try {
      return await send();
    } catch (error) {
      const { code = '', wasKeptOpen } = ((error as Error).cause ?? {}) as ConnectionFault;
      if (times > maxKeptOpen || !wasKeptOpen || !codes.has(code)) throw error;
    }
  }
}

/** Why `fetch` failed, preferably as the system's code: messages contain host names, which callers needn't see. */
export function reasonOfFetch(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
