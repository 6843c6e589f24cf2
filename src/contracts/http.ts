/** A request from an adapter: plain data, so that no framework object reaches the handler. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query as sent by the client: `/v1/chat/completions`. */
  readonly url: string;
  /** Mount path in the host, if any: `/v1` or `/internal/ai`. */
  readonly mountPath?: string | undefined;
  /** Request ids from the host, in order of precedence; non-string values are skipped. */
  readonly hostIds?: readonly unknown[] | undefined;
  /** Lower-case names, as in Node. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw bytes, or the output of the host's body parser. */
  readonly body: AsyncIterable<Uint8Array> | ParsedBody;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The client requests a WebSocket and the adapter supports it; default false. */
  readonly asksForSocket?: boolean | undefined;
}

/** A body that the host has already read, for example with `express.json()`. */
export interface ParsedBody {
  readonly parsed: unknown;
}

/** A response for an adapter: plain data, or a stream. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** An iterable is streamed; the adapter returns it early if the client disconnects. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Turns the connection into a WebSocket; with status 101, only if the request asks for one. */
  readonly socket?: SocketOffer | undefined;
}

/** The parameters of a WebSocket. */
export interface SocketOffer {
  /** The subprotocol, one of the client's; `undefined` selects no subprotocol. */
  readonly protocol: string | undefined;
  /** A longer message closes the socket with 1009. */
  readonly maxMessageBytes: number;
  /** Called once with the open socket. The request's signal is aborted when it has closed. */
  readonly take: (socket: ApiSocket) => void;
}

/** An open WebSocket in pull mode: it reads only when `read` is called. */
export interface ApiSocket {
  /** Bytes that the client has not taken yet. */
  readonly bufferedAmount: number;
  send(text: string): void;
  ping(): void;
  /** Emits the messages in the next few kilobytes received; `false` if there are no more. */
  read(): boolean;
  close(code: number, reason: string): void;
  /** Closes the connection immediately. */
  terminate(): void;
  on(event: 'message', listener: (data: Uint8Array, isBinary: boolean) => void): unknown;
  /** Data or the end arrived since `read` returned `false`. */
  on(event: 'readable', listener: () => void): unknown;
}

/** Answers every request, errors included; never rejects. */
export interface Handler {
  (request: ApiRequest): Promise<ApiResponse>;
  /** The paths that it answers when mounted at the root, including their subpaths (`/`: only itself); default `/v1`. */
  readonly paths?: readonly string[] | undefined;
}
