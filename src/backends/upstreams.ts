import { InferenceError } from '../errors.ts';
import type { UpstreamStatus } from '../contracts/run.ts';

const checkIntervalMs = 1000;
const checkTimeoutMs = 900;
/** A server may take longer to describe itself when it is asked for the first time. */
const firstCheckTimeoutMs = 3000;
/** A server that describes itself well and fails so many requests in a row rests for a while all the same. */
const mostFailuresInRow = 3;
const restMs = 2000;

/** A server among several that run the same model. */
export interface Upstream {
  /** Its address. */
  readonly url: string;
  /** Requests that it gets at once. */
  readonly maxConcurrent: number;
}

export interface UpstreamsOptions<Server extends Upstream> {
  readonly servers: readonly Server[];
  /**
   * Asks a server whether it can be used.
   *
   * @throws InferenceError `invalid_request` where it never will, as it is set up; anything else where it can't now
   */
  check(server: Server, signal: AbortSignal): Promise<void>;
}

interface Member<Server> {
  readonly server: Server;
  isHealthy: boolean;
  running: number;
  failures: number;
  failuresInRow: number;
  restsUntil: number;
  isBeingChecked: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The servers that run one model. A request goes to the healthy one that is least busy, measured by its share of
 * `maxConcurrent`; where none is healthy, to any. A server that fails is checked at once, all of several are every
 * second: one that fails its check gets no requests until it passes again. A single server is checked only while it
 * fails.
 */
export class Upstreams<Server extends Upstream> {
  readonly #members: readonly Member<Server>[];
  readonly #check: UpstreamsOptions<Server>['check'];
  /** Requests that wait for a place, in the order of their arrival; each returns whether it has taken one. */
  readonly #waiting = new Set<() => boolean>();
  #isClosed = false;

  constructor({ servers, check }: UpstreamsOptions<Server>) {
    this.#check = check;
    this.#members = servers.map((server) => ({
      server,
      isHealthy: true,
      running: 0,
      failures: 0,
      failuresInRow: 0,
      restsUntil: 0,
      isBeingChecked: false,
      timer: undefined,
    }));
  }

  /** Requests that all of them get at once. */
  get capacity(): number {
    return this.#members.reduce((sum, { server }) => sum + server.maxConcurrent, 0);
  }

  get status(): readonly UpstreamStatus[] {
    return this.#members.map(({ server: { url }, isHealthy, running, failures }) => ({
      url,
      isHealthy,
      running,
      failures,
    }));
  }

  /**
   * Checks all of them, from then on in the background.
   *
   * @throws InferenceError `invalid_request` where none can be used and one never will
   */
  async start(): Promise<void> {
    const errors = await Promise.all(
      this.#members.map((member) => this.#update(member, firstCheckTimeoutMs)),
    );
    if (errors.every(Boolean)) {
      const final = errors.find((error) => InferenceError.isInstance(error) && isCallersFault(error));
      if (final) {
        this.close();
        throw final;
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#members) clearTimeout(timer);
  }

  /**
   * Asks one server for an answer in pieces, and another where it fails before the first piece.
   *
   * @throws what `open` throws
   */
  async *stream<Piece>(
    open: (server: Server) => AsyncIterable<Piece>,
    signal?: AbortSignal,
  ): AsyncGenerator<Piece> {
    const tried = new Set<Member<Server>>();
    let failure: unknown;
    for (;;) {
      const member = await this.#take(tried, signal);
      if (!member) throw failure;
      let hasBegun = false;
      try {
        for await (const piece of open(member.server)) {
          hasBegun = true;
          member.failuresInRow = 0;
          yield piece;
        }
        return;
      } catch (error) {
        if (signal?.aborted || !InferenceError.isInstance(error) || isCallersFault(error)) throw error;
        this.#noteFailure(member, error);
        if (hasBegun) throw error;
        failure = error;
        tried.add(member);
      } finally {
        member.running--;
        this.#serveWaiting();
      }
    }
  }

  /** Asks one server for an answer, and another where it fails. @throws what `call` throws */
  async ask<Answer>(call: (server: Server) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    const answers = this.stream(async function* (server) {
      yield await call(server);
    }, signal);
    for await (const answer of answers) return answer;
    throw new TypeError('expected an answer');
  }

  /** A place at a server that hasn't been tried; `undefined` where all have. */
  #take(
    tried: ReadonlySet<Member<Server>>,
    signal: AbortSignal | undefined,
  ): Promise<Member<Server> | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(attempt);
        reject(new InferenceError('cancelled', 'The request was cancelled.'));
      };
      const attempt = (): boolean => {
        const open = this.#candidates(tried);
        const free = open.filter(({ server, running }) => running < server.maxConcurrent);
        if (open.length > 0 && free.length === 0) return false;
        signal?.removeEventListener('abort', abort);
        const member = free.length === 0 ? undefined : free.reduce(lessBusy);
        if (member) member.running++;
        resolve(member);
        return true;
      };
      if (signal?.aborted) abort();
      else if (!attempt()) {
        this.#waiting.add(attempt);
        signal?.addEventListener('abort', abort, { once: true });
      }
    });
  }

  #candidates(tried: ReadonlySet<Member<Server>>): Member<Server>[] {
    const healthy = this.#members.filter(({ isHealthy }) => isHealthy);
    return (healthy.length > 0 ? healthy : this.#members).filter((member) => !tried.has(member));
  }

  #serveWaiting(): void {
    for (const attempt of this.#waiting) if (attempt()) this.#waiting.delete(attempt);
  }

  #noteFailure(member: Member<Server>, { code }: InferenceError): void {
    member.failures++;
    if (code === 'overloaded') return;
    if (++member.failuresInRow >= mostFailuresInRow) {
      member.isHealthy = false;
      member.restsUntil = performance.now() + restMs;
    }
    void this.#update(member, checkTimeoutMs);
  }

  /** @returns why it can't be used */
  async #update(member: Member<Server>, timeoutMs: number): Promise<unknown> {
    if (member.isBeingChecked || this.#isClosed) return undefined;
    member.isBeingChecked = true;
    clearTimeout(member.timer);
    let failure: unknown;
    try {
      await this.#check(member.server, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      failure = error;
    }
    member.isBeingChecked = false;
    const wasHealthy = member.isHealthy;
    member.isHealthy = !failure && performance.now() >= member.restsUntil;
    if (member.isHealthy && !wasHealthy) member.failuresInRow = 0;
    this.#serveWaiting();
    if (!this.#isClosed && (this.#members.length > 1 || !member.isHealthy)) {
      member.timer = setTimeout(() => void this.#update(member, checkTimeoutMs), checkIntervalMs).unref();
    }
    return failure;
  }
}

/** By the share of its places that are taken; the first of equals. */
function lessBusy<Server extends Upstream>(one: Member<Server>, other: Member<Server>): Member<Server> {
  const busyness = ({ running, server }: Member<Server>): number => running / server.maxConcurrent;
  return busyness(other) < busyness(one) ? other : one;
}

/** Another server would refuse it too. */
function isCallersFault({ code }: InferenceError): boolean {
  return code !== 'worker_failed' && code !== 'overloaded';
}
