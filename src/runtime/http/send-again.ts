/** Error codes of a connection that the other side has closed. */
const codes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends a request once more where its connection was closed before an answer began. Servers close connections that were
 * idle for a while, maybe at the moment when the next request leaves; `fetch` doesn't send that one again. A connection
 * that never carried an answer isn't tried again where it is known to be new.
 *
 * @param send may be called twice
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
 *
 * @example
 * ```ts
 * const response = await sendAgain(() => fetch(url, { method: 'POST', body }));
 * ```
 */
export async function sendAgain(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    if (wasKeptOpen((error as Error).cause)) return send();
    throw error;
  }
}

interface ConnectionFault {
  readonly code?: string;
  /** Known where the other side has closed it in order. */
  readonly socket?: { readonly bytesRead?: number };
}

function wasKeptOpen(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code = '', socket } = cause as ConnectionFault;
  return codes.has(code) && socket?.bytesRead !== 0;
}
