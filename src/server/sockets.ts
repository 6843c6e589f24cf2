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
  /** As often, the client has to show that it is there. */
  readonly keepAliveMs: number;
}

/** Codes of RFC 6455, section 7.4.1. */
const closeCode = { normal: 1000, goingAway: 1001, policy: 1008, tryLater: 1013 } as const;
/** Bytes that a client may leave unread. */
const maxUnreadBytes = 2 ** 20;
/** Runs that wait before the client's messages do. */
const maxRuns = 8;
/** Wrong messages in a row. */
const maxFaults = 32;
/** Most of a message: the tools of a session have some thousand values. */
const messageBounds = { values: 8192, depth: 32 } as const;
/** A socket's slice of the event loop, whatever has come. */
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
  /** Messages of the piece that was read last. */
  const unread: { readonly data: Uint8Array; readonly isBinary: boolean }[] = [];
  let isReading = false;
  let session: SocketSession | undefined;
  let isClosing = false;
  let isAlive = true;
  /** Whether the message that is being read is wrong. */
  let isFaulty = false;
  let faults = 0;
  let runs = 0;
  let idle: NodeJS.Timeout | undefined;

  const close = (code: number, reason: string): void => {
    if (isClosing || signal.aborted) return;
    isClosing = true;
    socket.close(code, reason);
    wake();
    const timer = setTimeout(() => socket.terminate(), closingMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  /** Closes with an event that tells why. */
  const end = (error: InferenceError, code: number, reason: string): void => {
    session?.refuse(error);
    close(code, reason);
  };
  const awaitMessage = (): void => {
    clearTimeout(idle);
    const { idleTimeoutMs } = rules;
    idle = setTimeout(() => {
      if (runs > 0) return awaitMessage();
      const error = new InferenceError('request_timeout', `No message came for ${idleTimeoutMs} ms.`);
      end(error, closeCode.normal, 'The client was idle.');
    }, idleTimeoutMs).unref();
  };
  const take = async ({ data, isBinary }: (typeof unread)[number]): Promise<void> => {
    const serving = session;
    if (serving === undefined || isClosing) return;
    awaitMessage();
    isFaulty = false;
    try {
      if (isBinary)
        throw new InferenceError('invalid_request', 'Expected a message of text, got a binary one.');
      await serving.receive(parseMessage(data));
    } catch (error) {
      serving.refuse(InferenceError.from(error));
    }
    faults = isFaulty ? faults + 1 : 0;
    if (faults < maxFaults) return;
    const error = new InferenceError('invalid_request', `The last ${maxFaults} messages were wrong.`);
    end(error, closeCode.policy, 'Too many wrong messages.');
  };
  /** The client's messages wait while too many runs do; what comes after a close is dropped. */
  const mayRead = (): boolean => (runs < maxRuns || isClosing) && !signal.aborted;
  /** Reads what has come, in slices between which all other work of this process has its turns. */
  const read = async (): Promise<void> => {
    isReading = true;
    for (let endsAt = 0; mayRead();) {
      if (performance.now() >= endsAt) {
        await turn();
        endsAt = performance.now() + sliceMs;
        // The client may have left meanwhile.
        continue;
      }
      const next = unread.shift();
      if (next) await take(next);
      else if (!socket.read()) break;
    }
    isReading = false;
  };
  const wake = (): void => {
    isAlive = true;
    if (!isReading && mayRead()) void read();
  };
  const ping = (): void => {
    // What has come is not read yet, pongs among it.
    if (isReading || !mayRead()) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  };

  return {
    /** Hands the client's messages to a session. */
    serve(served: SocketSession): void {
      session = served;
      socket.on('message', (data, isBinary) => unread.push({ data, isBinary }));
      socket.on('readable', wake);
      const pings = setInterval(ping, rules.keepAliveMs);
      const { maxDurationMs } = rules;
      const last = setTimeout(() => {
        const error = new InferenceError('request_timeout', `The session has lasted ${maxDurationMs} ms.`);
        end(error, closeCode.normal, 'The session has lasted as long as it may.');
      }, maxDurationMs).unref();
      const stop = (): void => [idle, last, pings].forEach((timer) => clearTimeout(timer));
      signal.addEventListener('abort', stop, { once: true });
      awaitMessage();
      served.begin();
      wake();
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
      wake();
    },
    /** The client has been told of a failure. */
    noteFailure({ code }: InferenceError): void {
      isFaulty ||= code === 'invalid_request' || code === 'unsupported_feature';
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
  return parseJson(text, 'The message');
}
