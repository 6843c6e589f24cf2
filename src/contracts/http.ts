/** A request as adapters hand it over: plain data, so that no framework's object reaches the handler. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as the client sent it: `/v1/chat/completions`. */
  readonly url: string;
  /** The part of the path at which the host mounted the handler, if it did: `/v1` or `/internal/ai`. */
  readonly mountPath?: string | undefined;
  /** Ids of the request from the host, in order of precedence; values of other types are skipped. */
  readonly hostIds?: readonly unknown[] | undefined;
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw bytes, or what a body parser of the host made of them. */
  readonly body: AsyncIterable<Uint8Array> | ParsedBody;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Whether the client asks for a WebSocket, and the adapter can make its connection one; default false. */
  readonly asksForSocket?: boolean | undefined;
}

/** A body that the host has read already, for example with `express.json()`. */
export interface ParsedBody {
  readonly parsed: unknown;
}

/** An answer as adapters take it: plain data, or pieces as they come. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** An iterable is sent piece by piece as it comes; the adapter returns it early when the client goes. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Makes the connection a WebSocket; with status 101, only where the request asks for one. */
  readonly socket?: SocketOffer | undefined;
}

/** The terms of a WebSocket. */
export interface SocketOffer {
  /** The subprotocol, one of those that the client knows; none if left out. */
  readonly protocol: string | undefined;
  /** A longer message closes the socket with 1009. */
  readonly maxMessageBytes: number;
  /** Called once with the open socket. The request's signal is aborted when it has closed. */
  readonly take: (socket: ApiSocket) => void;
}

/** An open WebSocket, which reads what has come only when it is asked to. */
export interface ApiSocket {
  /** Bytes that the client has not taken yet. */
  readonly bufferedAmount: number;
  send(text: string): void;
  ping(): void;
  /** Emits the messages of the next few kilobytes that have come; `false` where nothing has. */
  read(): boolean;
  close(code: number, reason: string): void;
  /** Ends the connection at once. */
  terminate(): void;
  on(event: 'message', listener: (data: Uint8Array, isBinary: boolean) => void): unknown;
  /** Something has come, or the end, since `read` found nothing. */
  on(event: 'readable', listener: () => void): unknown;
}

/** Answers every request, errors included; never rejects. */
export interface Handler {
  (request: ApiRequest): Promise<ApiResponse>;
  /**
   * The paths that it answers when it is mounted at the root, with all paths below them (`/`: only itself); default `/v1`.
   */
  readonly paths?: readonly string[] | undefined;
}
