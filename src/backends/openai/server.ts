import type { AnswerTimes } from '../../runtime/http/answer-clock.ts';
import type { Certificates } from '../../runtime/http/fetch-with-certificates.ts';
import { endpointsOf, type RemoteEndpoint, type RemoteKey } from '../access.ts';

/** The servers with known parameters outside the OpenAI API. */
export const apiDialects = ['openai', 'vllm', 'llama-server', 'slashv1'] as const;

/** Which parameters outside the OpenAI API a server supports, and their names. */
export type ApiDialect = (typeof apiDialects)[number];

/** Timeouts without any data from a server, in milliseconds. */
export interface ApiTimeouts {
  /** Until a new connection is established; default 10 s. */
  readonly connect?: number | undefined;
  /**
   * From the request to the first byte of the response's body; default 60 s; for a single server, images and
   * transcripts 5 minutes.
   */
  readonly firstByte?: number | undefined;
  /** Between two bytes of the response; default 60 s, for a single server 5 minutes. */
  readonly idle?: number | undefined;
}

/** Address and key of a server. */
export interface ApiUpstream {
  /** Up to and including `/v1`. */
  readonly baseURL: string;
  /** Sent as bearer token; default: the backend's key. */
  readonly apiKey?: RemoteKey | undefined;
  /** Maximum concurrent requests; default 64. */
  readonly maxConcurrent?: number | undefined;
}

/** One OpenAI-compatible server, or several of the same models; plain data. */
export interface ApiServer {
  readonly kind: 'openai';
  /** Up to and including `/v1`; omitted with `upstreams`. */
  readonly baseURL?: string | undefined;
  /** Bearer token, or a function that is called before every request. */
  readonly apiKey?: RemoteKey | undefined;
  /** Certificates of the connections. */
  readonly tls?: Certificates | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Servers of the same models instead of `baseURL`; a request goes to the least busy healthy one. */
  readonly upstreams?: readonly ApiUpstream[] | undefined;
  /**
   * Whether chats with the same beginning go to the same one of `upstreams`, which has it in its cache, unless that
   * server already has more than 1.25 times its share of all requests; default `false`.
   */
  readonly prefixAffinity?: boolean | undefined;
  /**
   * A server that exceeds a timeout is abandoned: the request is retried on the next server if no part of the answer
   * was forwarded.
   */
  readonly timeoutMs?: ApiTimeouts | undefined;
  /** Default `openai`: only the parameters of the OpenAI API. */
  readonly dialect?: ApiDialect | undefined;
  /** Maximum concurrent requests; further ones wait here. Default 64, or the sum of `maxConcurrent`. */
  readonly concurrency?: number | undefined;
  /** Fields for the body of every request; the request's own fields override them. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Source of the model's tokenizer: a folder, a bundled name or an id on Hugging Face. It counts tokens that the
   * server doesn't report; without it they are estimated from bytes.
   */
  readonly tokenizer?: string | undefined;
}

/** One of the servers, with all its settings. */
export interface ApiEndpoint extends RemoteEndpoint {
  readonly times: AnswerTimes & { readonly connectMs: number | undefined };
}

/** If a different server can take the request. */
const impatientMs = 60_000;
/** If there is no alternative, for example while a slow server reads a long prompt, or for answers that arrive as a whole. */
export const patientMs = 300_000;

/**
 * The servers of a backend; at least one.
 * @param defaultFirstByteMs default timeout of the first byte; without it 60 s, for a single server 5 minutes
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
