/** A request as adapters hand it over: plain data, so that no framework's object reaches the handler. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as the client sent it: `/v1/chat/completions`. */
  readonly url: string;
  /** The part of the path at which the host mounted the handler, if it did: `/v1` or `/internal/ai`. */
  readonly mountPath?: string | undefined;
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw bytes, or what a body parser of the host made of them. */
  readonly body: AsyncIterable<Uint8Array> | ParsedBody;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
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
}

/** Answers every request, errors included; never rejects. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
