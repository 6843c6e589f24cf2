import type { AnswerTimes } from '../../runtime/http/answer-clock.ts';
import type { Certificates } from '../../runtime/http/fetch-with-certificates.ts';
import { endpointsOf, type RemoteEndpoint, type RemoteKey } from '../access.ts';

/** The servers whose parameters beyond the wire format's own are known. */
export const apiDialects = ['openai', 'vllm', 'llama-server', 'slashv1'] as const;

/** The parameters beyond the wire format's own that a server takes, and their names. */
export type ApiDialect = (typeof apiDialects)[number];

/** Longest times without anything from a server, in milliseconds. */
export interface ApiTimeouts {
  /** Until a new connection is there; default 10 s. */
  readonly connect?: number | undefined;
  /**
   * From the request to the first byte of its answer's body; default 60 s; of a single server, images and transcripts
   * 5 minutes.
   */
  readonly firstByte?: number | undefined;
  /** From one byte of the answer to the next; default 60 s, of a single server 5 minutes. */
  readonly idle?: number | undefined;
}

/** Address and key of a server. */
export interface ApiUpstream {
  /** Up to and including `/v1`. */
  readonly baseURL: string;
  /** Sent as bearer token; default: that of the backend. */
  readonly apiKey?: RemoteKey | undefined;
  /** Requests that it gets at once; default 64. */
  readonly maxConcurrent?: number | undefined;
}

/** One server, or several of the same models, that answer in the wire format of this API; plain data. */
export interface ApiServer {
  readonly kind: 'openai';
  /** Up to and including `/v1`; left out where there are `upstreams`. */
  readonly baseURL?: string | undefined;
  /** Bearer token, or a function that is called for it before every request. */
  readonly apiKey?: RemoteKey | undefined;
  /** Certificates of the connections. */
  readonly tls?: Certificates | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Servers of the same models in place of `baseURL`; a request goes to the least busy one that is healthy. */
  readonly upstreams?: readonly ApiUpstream[] | undefined;
  /**
   * Whether chats with the same beginning go to the same one of `upstreams`, which finds it in its cache, as long as that
   * has no more than its share of all requests and a quarter; default `false`.
   */
  readonly prefixAffinity?: boolean | undefined;
  /** A server that takes longer is given up: another one gets the request if nothing of its answer was passed on. */
  readonly timeoutMs?: ApiTimeouts | undefined;
  /** Default `openai`: the wire format's own parameters and no others. */
  readonly dialect?: ApiDialect | undefined;
  /** Maximum requests at once; the others wait here. Default 64, or the sum of `maxConcurrent`. */
  readonly concurrency?: number | undefined;
  /** Fields for the body of every request; fields of the request itself override them. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Source of the model's tokenizer: a folder, a bundled name or an id on Hugging Face. Tokens that the server doesn't report are
   * counted with it, else estimated from bytes.
   */
  readonly tokenizer?: string | undefined;
}

/** One of the servers, with all its settings. */
export interface ApiEndpoint extends RemoteEndpoint {
  readonly times: AnswerTimes & { readonly connectMs: number | undefined };
}

/** Where another server can have the request. */
const impatientMs = 60_000;
/** Where none can, as while a slow one reads a long prompt, or for answers that come as a whole. */
export const patientMs = 300_000;

/**
 * The servers of a backend; at least one.
 * @param defaultFirstByteMs longest time until the first byte of an answer, where no setting says it; default 60 s, of a single
 * server 5 minutes
 */
export function apiEndpointsOf(server: ApiServer, defaultFirstByteMs?: number): ApiEndpoint[] {
  const { baseURL, upstreams, concurrency, timeoutMs = {} } = server;
  const listed = upstreams ?? [{ baseURL: baseURL!, maxConcurrent: concurrency }];
  const defaultMs = listed.length > 1 ? impatientMs : patientMs;
  const { connect: connectMs, firstByte = defaultFirstByteMs ?? defaultMs, idle = defaultMs } = timeoutMs;
  const times = { connectMs, firstByteMs: firstByte, idleMs: idle };
  const servers = listed.map(({ baseURL: url, ...own }) => Object.assign(own, { url }));
  return endpointsOf(servers, server).map((endpoint) => Object.assign(endpoint, { times }));
}
