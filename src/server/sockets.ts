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

export function createSockets(gate: BodyGate, rules: SocketRules) {
  const all = new Set<OpenSocket>();
  let isClosed = false;
  return {
    gate,
    rules,
    /** @throws InferenceError `overloaded` once they are closed */
    assertOpen(): void {
      if (isClosed) throw new InferenceError('overloaded', 'The service is shutting down.');
    },
    add(socket: ApiSocket, surroundings: SocketSurroundings): OpenSocket {
      const open = createOpenSocket(socket, rules, surroundings);
      all.add(open);
      surroundings.signal.addEventListener('abort', () => all.delete(open), { once: true });
      return open;
    },
    /** Closes each one when its runs have ended; opens no more. */
    close(): void {
      isClosed = true;
      for (const open of all) void open.drain();
    },
  };
}

export type OpenSocket = ReturnType<typeof createOpenSocket>;

function createOpenSocket(socket: ApiSocket, rules: SocketRules, { signal, turn }: SocketSurroundings) {
  /** Messages that have come before the one that is being read has ended. */
  const unread: { readonly data: Uint8Array; readonly isBinary: boolean }[] = [];
  let isReading = false;
  let session: SocketSession | undefined;
  let isClosing = false;
  let isPaused = false;
  let isAlive = true;
  let runs = 0;
  let idle: NodeJS.Timeout | undefined;

  const close = (code: number, reason: string): void => {
    if (isClosing || signal.aborted) return;
    isClosing = true;
    if (isPaused) socket.resume();
    socket.close(code, reason);
    const timer = setTimeout(() => socket.terminate(), closingMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  /** The client's messages wait while too many runs do, and while earlier messages do. */
  const pause = (): void => {
    const mustWait = runs >= maxRuns || isReading;
    if (mustWait === isPaused || signal.aborted) return;
    isPaused = mustWait;
    // What came before the pause is not read yet, pongs among it.
    isAlive = true;
    if (isPaused) socket.pause();
    else socket.resume();
  };
  const awaitMessage = (): void => {
    clearTimeout(idle);
    const { idleTimeoutMs } = rules;
    idle = setTimeout(() => {
      if (runs > 0) return awaitMessage();
      session?.refuse(new InferenceError('request_timeout', `No message came for ${idleTimeoutMs} ms.`));
      close(closeCode.normal, 'The client was idle.');
    }, idleTimeoutMs);
    idle.unref();
  };
  const take = (data: Uint8Array, isBinary: boolean): Promise<void> | void => {
    isAlive = true;
    const serving = session;
    if (serving === undefined || isClosing) return;
    awaitMessage();
    try {
      if (isBinary)
        throw new InferenceError('invalid_request', 'Expected a message of text, got a binary one.');
      return serving.receive(parseMessage(data));
    } catch (error) {
      serving.refuse(InferenceError.from(error));
    }
  };
  const read = async (): Promise<void> => {
    isReading = true;
    let since = performance.now();
    for (let next = unread.shift(); next; next = unread.shift()) {
      const rest = take(next.data, next.isBinary);
      const isLong = performance.now() - since > sliceMs && unread.length > 0;
      if (rest === undefined && !isLong) continue;
      pause();
      await rest;
      await turn();
      since = performance.now();
    }
    isReading = false;
    pause();
  };
  const ping = (): void => {
    if (isPaused) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  };

  return {
    /** Hands the client's messages to a session. */
    serve(served: SocketSession): void {
      session = served;
      socket.on('pong', () => (isAlive = true));
      socket.on('message', (data, isBinary) => {
        unread.push({ data, isBinary });
        if (!isReading) void read();
      });
      const pings = setInterval(ping, rules.keepAliveMs);
      const { maxDurationMs } = rules;
      const end = setTimeout(() => {
        served.refuse(new InferenceError('request_timeout', `The session has lasted ${maxDurationMs} ms.`));
        close(closeCode.normal, 'The session has lasted as long as it may.');
      }, maxDurationMs);
      end.unref();
      const stop = (): void => {
        clearTimeout(idle);
        clearTimeout(end);
        clearInterval(pings);
      };
      signal.addEventListener('abort', stop, { once: true });
      awaitMessage();
      served.begin();
    },
    send(message: object): void {
      if (signal.aborted || isClosing) return;
      socket.send(JSON.stringify(message));
      if (socket.bufferedAmount > maxUnreadBytes) close(closeCode.tryLater, 'The client does not read.');
    },
    /** Resolves when the client has read most of what it was sent. */
    async room(): Promise<void> {
      while (socket.bufferedAmount > maxUnreadBytes / 4 && !signal.aborted)
        await sleep(roomMs, undefined, { ref: false });
    },
    pace(waiting: number): void {
      runs = waiting;
      pause();
    },
    /** Takes no more messages, and closes when the runs have ended. */
    async drain(): Promise<void> {
      const left = session;
      session = undefined;
      await left?.settled();
      close(closeCode.goingAway, 'The service is shutting down.');
    },
  };
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
