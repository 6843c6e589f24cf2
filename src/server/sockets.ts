import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiSocket } from '../contracts/http.ts';
import type { SocketSession } from '../contracts/endpoint.ts';
import { InferenceError, orThrow, sentence } from '../errors.ts';
import type { BodyGate } from './body-gate.ts';
import { countJson } from '../core/text/bounded-json.ts';
import { parseJson } from '../http/parse-json.ts';

export interface SocketRules {
  readonly maxBufferBytes: number;
  readonly maxMessageBytes: number;
  readonly idleTimeoutMs: number;
  readonly maxDurationMs: number;
  /** As often, the client has to show that it is there. */
  readonly keepAliveMs: number;
}

/** Codes of RFC 6455, section 7.4.1. */
const closeCode = { normal: 1000, goingAway: 1001, tryLater: 1013 } as const;
/** Bytes that a client may leave unread. */
const maxUnreadBytes = 2 ** 20;
/** Runs that wait before the client's messages do. */
const maxRuns = 8;
/** Most of a message: the tools of a session have some thousand values. */
const messageBounds = { values: 8192, depth: 32 } as const;
/** Time of messages that are read at once. */
const sliceMs = 4;
/** As often, whoever waits for room looks whether there is some. */
const roomMs = 20;
/** Time for the client's half of a closing handshake. */
const closingMs = 2000;

/** A socket's part in the process. */
export interface SocketSurroundings {
  /** Aborted when the socket has closed. */
  readonly signal: AbortSignal;
  /** Resolves when the next slice of long work may begin. */
  readonly turn: () => Promise<void>;
}

export class Sockets {
  readonly gate: BodyGate;
  readonly rules: SocketRules;
  readonly #open = new Set<OpenSocket>();
  #isClosed = false;

  constructor(gate: BodyGate, rules: SocketRules) {
    this.gate = gate;
    this.rules = rules;
  }

  /** @throws InferenceError `overloaded` once they are closed */
  assertOpen(): void {
    if (this.#isClosed) throw new InferenceError('overloaded', 'The service is shutting down.');
  }

  add(socket: ApiSocket, surroundings: SocketSurroundings): OpenSocket {
    const open = new OpenSocket(socket, this.rules, surroundings);
    this.#open.add(open);
    surroundings.signal.addEventListener('abort', () => this.#open.delete(open), { once: true });
    return open;
  }

  /** Closes each one when its runs have ended; opens no more. */
  close(): void {
    this.#isClosed = true;
    for (const open of this.#open) void open.drain();
  }
}

export class OpenSocket {
  readonly #socket: ApiSocket;
  readonly #rules: SocketRules;
  readonly #signal: AbortSignal;
  readonly #turn: () => Promise<void>;
  /** Messages that have come before the one that is being read has ended. */
  readonly #unread: { readonly data: Uint8Array; readonly isBinary: boolean }[] = [];
  #isReading = false;
  #session: SocketSession | undefined;
  #isClosing = false;
  #isPaused = false;
  #isAlive = true;
  #runs = 0;
  #idle: NodeJS.Timeout | undefined;
  #pings: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  constructor(socket: ApiSocket, rules: SocketRules, { signal, turn }: SocketSurroundings) {
    this.#socket = socket;
    this.#rules = rules;
    this.#signal = signal;
    this.#turn = turn;
  }

  /** Hands the client's messages to a session. */
  serve(session: SocketSession): void {
    this.#session = session;
    this.#signal.addEventListener('abort', () => this.#stop(), { once: true });
    this.#socket.on('pong', () => (this.#isAlive = true));
    this.#socket.on('message', (data, isBinary) => {
      this.#unread.push({ data, isBinary });
      if (!this.#isReading) void this.#read();
    });
    this.#pings = setInterval(() => this.#ping(), this.#rules.keepAliveMs);
    const { maxDurationMs } = this.#rules;
    this.#end = setTimeout(() => {
      session.refuse(new InferenceError('request_timeout', `The session has lasted ${maxDurationMs} ms.`));
      this.#close(closeCode.normal, 'The session has lasted as long as it may.');
    }, maxDurationMs);
    this.#end.unref();
    this.#awaitMessage();
    session.begin();
  }

  send(message: object): void {
    if (this.#signal.aborted || this.#isClosing) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > maxUnreadBytes)
      this.#close(closeCode.tryLater, 'The client does not read.');
  }

  /** Resolves when the client has read most of what it was sent. */
  async room(): Promise<void> {
    while (this.#socket.bufferedAmount > maxUnreadBytes / 4 && !this.#signal.aborted)
      await sleep(roomMs, undefined, { ref: false });
  }

  pace(runs: number): void {
    this.#runs = runs;
    this.#pause();
  }

  /** The client's messages wait while too many runs do, and while earlier messages do. */
  #pause(): void {
    const isPaused = this.#runs >= maxRuns || this.#isReading;
    if (isPaused === this.#isPaused || this.#signal.aborted) return;
    this.#isPaused = isPaused;
    // What came before the pause is not read yet, pongs among it.
    this.#isAlive = true;
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Takes no more messages, and closes when the runs have ended. */
  async drain(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.settled();
    this.#close(closeCode.goingAway, 'The service is shutting down.');
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    let since = performance.now();
    for (let next = this.#unread.shift(); next; next = this.#unread.shift()) {
      const rest = this.#take(next.data, next.isBinary);
      const isLong = performance.now() - since > sliceMs && this.#unread.length > 0;
      if (rest === undefined && !isLong) continue;
      this.#pause();
      await rest;
      await this.#turn();
      since = performance.now();
    }
    this.#isReading = false;
    this.#pause();
  }

  #take(data: Uint8Array, isBinary: boolean): Promise<void> | void {
    this.#isAlive = true;
    const session = this.#session;
    if (session === undefined || this.#isClosing) return;
    this.#awaitMessage();
    try {
      if (isBinary)
        throw new InferenceError('invalid_request', 'Expected a message of text, got a binary one.');
      return session.receive(parseMessage(data));
    } catch (error) {
      session.refuse(InferenceError.from(error));
    }
  }

  #awaitMessage(): void {
    clearTimeout(this.#idle);
    const { idleTimeoutMs } = this.#rules;
    this.#idle = setTimeout(() => {
      if (this.#runs > 0) return this.#awaitMessage();
      this.#session?.refuse(
        new InferenceError('request_timeout', `No message came for ${idleTimeoutMs} ms.`),
      );
      this.#close(closeCode.normal, 'The client was idle.');
    }, idleTimeoutMs);
    this.#idle.unref();
  }

  #ping(): void {
    if (this.#isPaused) return;
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  #close(code: number, reason: string): void {
    if (this.#isClosing || this.#signal.aborted) return;
    this.#isClosing = true;
    if (this.#isPaused) this.#socket.resume();
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), closingMs);
    this.#signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#end);
    clearInterval(this.#pings);
  }
}

function parseMessage(data: Uint8Array): unknown {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  const { fault } = countJson(text, messageBounds);
  if (fault !== undefined) throw new InferenceError('invalid_request', `The message is too large: ${fault}.`);
  return orThrow(
    () => parseJson(text),
    (cause) => {
      const { code, message } = InferenceError.from(cause);
      return new InferenceError(code, sentence(message.replace('The request body', 'The message')), {
        cause,
      });
    },
  );
}
