/** Error codes of a connection that the other side has closed. */
const codes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** Connections that may have been closed at once. */
const mostKeptOpen = 8;

// Source: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
/**
 * Sends a request again where its connection was closed before an answer began. Servers close connections that were idle for a
 * while, maybe at the moment when the next request leaves; `fetch` doesn't send that one again. Several may be closed at once,
 * so the next connection may fail in the same way. One that is known to be new isn't tried again; one of unknown age, once.
 */
export async function sendAgain(send: () => Promise<Response>): Promise<Response> {
  for (let times = 1; ; times++) {
    try {
      return await send();
    } catch (error) {
      if (times > mostAgain((error as Error).cause)) throw error;
    }
  }
}

interface ConnectionFault {
  readonly code?: string;
  /** Known where the other side has closed it in order. */
  readonly socket?: { readonly bytesRead?: number };
}

function mostAgain(cause: unknown): number {
  if (!(cause instanceof Error)) return 0;
  const { code = '', socket } = cause as ConnectionFault;
  if (!codes.has(code)) return 0;
  if (socket?.bytesRead === undefined) return 1;
  return socket.bytesRead > 0 ? mostKeptOpen : 0;
}
