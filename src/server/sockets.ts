import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiSocket } from '../contracts/http.ts';
import type { SocketSession } from '../contracts/endpoint.ts';
import { InferenceError } from '../errors.ts';
import type { BodyGate } from './body-gate.ts';
import { countJson } from '../core/text/bounded-json.ts';
import { parseJson } from '../http/parse-json.ts';

export interface SocketRules {
  readonly maxBufferBytes: number;
  readonly maxMessageBytes: number;
  readonly idleTimeoutMs: number;
  readonly maxDurationMs: number;
  /** Interval of pings; a client must answer within it. */
  readonly keepAliveMs: number;
}

/** Codes of RFC 6455, section 7.4.1. */
const closeCode = { normal: 1000, goingAway: 1001, policy: 1008, tryLater: 1013 } as const;
/** Max unread bytes of a client. */
const maxUnreadBytes = 2 ** 20;
/** Max pending runs before the client's messages wait. */
const maxRuns = 8;
/** Max invalid messages in a row. */
const maxFaults = 32;
/** Bounds of a message: a session's tools have some thousand values. */
const messageBounds = { values: 8192, depth: 32 } as const;
/** Max time slice of a socket on the event loop. */
const sliceMs = 4;
/** Polling interval while waiting for the client to read. */
const roomMs = 20;
/** Time limit for the client's part of a closing handshake. */
const closingMs = 2000;

export interface SocketContext {
  readonly signal: AbortSignal;
  readonly turn: () => Promise<void>;
}

export function createSockets(gate: BodyGate, rules: SocketRules) {
  const all = new Set<OpenSocket>();
  let isClosed = false;
  return {
    gate,
    rules,
    assertOpen(): void {
      if (isClosed) throw new InferenceError('overloaded', 'The service is shutting down.');
    },
    add(socket: ApiSocket, context: SocketContext): OpenSocket {
      const open = new OpenSocket(socket, rules, context);
      all.add(open);
      context.signal.addEventListener('abort', () => all.delete(open), { once: true });
      return open;
    },
    /** Closes each socket once its runs have ended, and rejects new sockets. */
    close(): void {
      isClosed = true;
      for (const open of all) void open.drain();
    },
  };
}

interface UnreadMessage {
  readonly data: Uint8Array;
  readonly isBinary: boolean;
}

export class OpenSocket {
  readonly #socket: ApiSocket;
  readonly #rules: SocketRules;
  readonly #signal: AbortSignal;
  readonly #turn: () => Promise<void>;
  readonly #unread: UnreadMessage[] = [];
  #isReading = false;
  #session: SocketSession | undefined;
  #isClosing = false;
  #isAlive = true;
  #isFaulty = false;
  #faults = 0;
  #runs = 0;
  #idle: NodeJS.Timeout | undefined;
  readonly #wake = (): void => {
    this.#isAlive = true;
    if (!this.#isReading && this.#mayRead()) void this.#read();
  };
  readonly #ping = (): void => {
    // Unread data may contain pongs.
    if (this.#isReading || !this.#mayRead()) return;
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  };

  constructor(socket: ApiSocket, rules: SocketRules, { signal, turn }: SocketContext) {
    this.#socket = socket;
    this.#rules = rules;
    this.#signal = signal;
    this.#turn = turn;
  }

  serve(served: SocketSession): void {
    this.#session = served;
    this.#socket.on('message', (data, isBinary) => this.#unread.push({ data, isBinary }));
    this.#socket.on('readable', this.#wake);
    const pings = setInterval(this.#ping, this.#rules.keepAliveMs);
    const { maxDurationMs } = this.#rules;
    const last = setTimeout(() => {
      const error = new InferenceError('request_timeout', `The session has lasted ${maxDurationMs} ms.`);
      this.#end(error, closeCode.normal, 'The session has reached its maximum duration.');
    }, maxDurationMs).unref();
    const stop = (): void => [this.#idle, last, pings].forEach((timer) => clearTimeout(timer));
    this.#signal.addEventListener('abort', stop, { once: true });
    this.#awaitMessage();
    served.begin();
    this.#wake();
  }

  send(message: object): void {
    if (this.#signal.aborted || this.#isClosing) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > maxUnreadBytes)
      this.#close(closeCode.tryLater, 'The client does not read.');
  }

  /** Resolves when the client has read most of its messages. */
  async room(): Promise<void> {
    while (this.#socket.bufferedAmount > maxUnreadBytes / 4 && !this.#signal.aborted)
      await sleep(roomMs, undefined, { ref: false });
  }

  pace(waiting: number): void {
    this.#runs = waiting;
    this.#wake();
  }

  noteFailure({ code }: InferenceError): void {
    this.#isFaulty ||= code === 'invalid_request' || code === 'unsupported_feature';
  }

  /** Stops reading messages, and closes once the runs have ended. */
  async drain(): Promise<void> {
    const left = this.#session;
    this.#session = undefined;
    await left?.settled();
    this.#close(closeCode.goingAway, 'The service is shutting down.');
  }

  #close(code: number, reason: string): void {
    if (this.#isClosing || this.#signal.aborted) return;
    this.#isClosing = true;
    this.#socket.close(code, reason);
    this.#wake();
    const timer = setTimeout(() => this.#socket.terminate(), closingMs);
    this.#signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #end(error: InferenceError, code: number, reason: string): void {
    this.#session?.refuse(error);
    this.#close(code, reason);
  }

  #awaitMessage(): void {
    clearTimeout(this.#idle);
    const { idleTimeoutMs } = this.#rules;
    this.#idle = setTimeout(() => {
      if (this.#runs > 0) return this.#awaitMessage();
      const error = new InferenceError('request_timeout', `No message arrived for ${idleTimeoutMs} ms.`);
      this.#end(error, closeCode.normal, 'The client was idle.');
    }, idleTimeoutMs).unref();
  }

  async #take({ data, isBinary }: UnreadMessage): Promise<void> {
    const serving = this.#session;
    if (serving === undefined || this.#isClosing) return;
    this.#awaitMessage();
    this.#isFaulty = false;
    try {
      if (isBinary)
        throw new InferenceError('invalid_request', 'Expected a text message, got a binary message.');
      await serving.receive(parseMessage(data));
    } catch (error) {
      serving.refuse(InferenceError.from(error));
    }
    this.#faults = this.#isFaulty ? this.#faults + 1 : 0;
    if (this.#faults < maxFaults) return;
    const error = new InferenceError('invalid_request', `The last ${maxFaults} messages were invalid.`);
    this.#end(error, closeCode.policy, 'Too many invalid messages.');
  }

  /** Messages wait while too many runs are pending; messages after a close are dropped. */
  #mayRead(): boolean {
    return (this.#runs < maxRuns || this.#isClosing) && !this.#signal.aborted;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let endsAt = 0; this.#mayRead();) {
      if (performance.now() >= endsAt) {
        await this.#turn();
        endsAt = performance.now() + sliceMs;
        // The client may have disconnected meanwhile.
        continue;
      }
      const next = this.#unread.shift();
      if (next) await this.#take(next);
      else if (!this.#socket.read()) break;
    }
    this.#isReading = false;
  }
}

function parseMessage(data: Uint8Array): unknown {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  const { fault } = countJson(text, messageBounds);
  if (fault !== undefined) throw new InferenceError('invalid_request', `The message is too large: ${fault}.`);
  return parseJson(text, 'The message');
}
