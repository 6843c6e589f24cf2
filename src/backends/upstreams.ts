import { InferenceError } from '../errors.ts';
import { serverOfKey } from './rendezvous-hashing.ts';
import type { UpstreamStatus } from '../contracts/run.ts';

const checkIntervalMs = 1000;
/** A single server is checked less often: there is no alternative for its requests, but its host may be skipped. */
const loneCheckIntervalMs = 5000;
const checkTimeoutMs = 900;
/** A server may take longer to describe itself for the first time. */
const firstCheckTimeoutMs = 3000;
/** A server that passes checks but fails this many requests in a row is ejected for a while anyway. */
const maxFailuresInRow = 3;
const firstRestMs = 250;
const ejectedRestMs = 2000;
const maxRestMs = 60_000;
/** A caller that leaves earlier isn't evidence against the server. */
const silentMs = 1000;
/** Pause of a busy server that doesn't specify one. */
const busyRestMs = 1000;

/** One of several servers of the same model. */
export interface Upstream {
  /** Its address. */
  readonly url: string;
  /** Maximum concurrent requests. */
  readonly maxConcurrent: number;
}

export interface UpstreamsOptions<Server extends Upstream> {
  readonly servers: readonly Server[];
  /** Checks whether a server can be used. */
  check(server: Server, signal: AbortSignal): Promise<void>;
}

/** How to send and retry a request. */
export interface RelayOptions<Piece> {
  readonly signal?: AbortSignal | undefined;
  /** Pieces to hold back until the next one, since they don't show that an answer follows. */
  readonly isPrelude?: ((piece: Piece) => boolean) | undefined;
  /** Requests with the same key go to the same server, while it is available and not far busier than the rest. */
  readonly key?: string | undefined;
  /**
   * Marks the restart of the answer on a different server, after pieces that became invalid; without it there is no
   * retry after such pieces.
   */
  readonly restart?: Piece | undefined;
}

interface Member<Server> {
  readonly server: Server;
  /** Has passed its last check. */
  isReachable: boolean;
  running: number;
  failures: number;
  failuresInRow: number;
  /** Since the last success; each pause is twice as long as the previous one. */
  rests: number;
  restsUntil: number;
  /** Its latest turn that failed. */
  failedAt: number;
  answeredAt: number;
  /** Its latest turn that was assigned. */
  takenAt: number;
  /** The turn of the trial request after a pause. */
  trial: number | undefined;
  isBeingChecked: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A slot at a server; `turn` counts the requests of all servers. */
interface Place<Server> {
  readonly member: Member<Server>;
  readonly turn: number;
  readonly since: number;
}

interface TakeOptions extends Pick<RelayOptions<never>, 'signal' | 'key'> {
  /** Whether unhealthy servers are skipped even without an alternative. */
  readonly needsHealthy: boolean;
}

/** A request that a server rejects. */
interface Refusal<Server> {
  readonly member: Member<Server>;
  readonly error: InferenceError;
}

/**
 * The servers of one model. A request goes to the least busy available server, relative to `maxConcurrent`, with ties
 * in turn; without any available one, to any server. A failing server pauses for increasing times, and is then tried
 * with one request; a server that reports when it is free pauses until then.
 */
export class Upstreams<Server extends Upstream> {
  readonly #members: readonly Member<Server>[];
  readonly #check: UpstreamsOptions<Server>['check'];
  /** Requests waiting for a slot, in order of arrival; each returns whether it has taken one. */
  readonly #waiting = new Set<() => boolean>();
  #turn = 0;
  #isClosed = false;

  constructor({ servers, check }: UpstreamsOptions<Server>) {
    this.#check = check;
    this.#members = servers.map((server) => ({
      server,
      isReachable: true,
      running: 0,
      failures: 0,
      failuresInRow: 0,
      rests: 0,
      restsUntil: 0,
      failedAt: 0,
      answeredAt: 0,
      takenAt: 0,
      trial: undefined,
      isBeingChecked: false,
      timer: undefined,
    }));
  }

  /** Maximum concurrent requests of all servers. */
  get capacity(): number {
    return this.#members.reduce((sum, { server }) => sum + server.maxConcurrent, 0);
  }

  get status(): readonly UpstreamStatus[] {
    return this.#members.map((member) => ({
      url: member.server.url,
      isHealthy: isHealthy(member),
      running: member.running,
      failures: member.failures,
    }));
  }

  /** Checks all servers, and keeps checking in the background. */
  async start(): Promise<void> {
    const errors = await Promise.all(
      this.#members.map((member) => this.#update(member, firstCheckTimeoutMs)),
    );
    if (errors.every(Boolean)) {
      const final = errors.find((error) => InferenceError.isInstance(error) && isRefusal(error));
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
   * Passes on the pieces of one server's answer, or of the next one's if it fails before a piece that counts. If a server rejects
   * the request, a second one is asked: if that accepts it, the first one counts as failed.
   */
  async relay<Piece>(
    answer: (server: Server, add: (piece: Piece) => void) => Promise<void>,
    add: (piece: Piece) => void,
    { signal, key, isPrelude = () => false, restart }: RelayOptions<Piece> = {},
  ): Promise<void> {
    const tried = new Set<Member<Server>>();
    let failure: InferenceError | undefined;
    let refusal: Refusal<Server> | undefined;
    let hasBegun = false;
    for (;;) {
      const place = await this.#take(tried, { signal, key, needsHealthy: refusal !== undefined });
      if (!place) throw refusal?.error ?? failure;
      const { member } = place;
      const held: Piece[] = [];
      try {
        if (hasBegun) add(restart!);
        hasBegun = false;
        await answer(member.server, (piece) => {
          if (!hasBegun) {
            held.push(piece);
            if (isPrelude(piece)) return;
            this.#noteSuccess(place, refusal);
            hasBegun = true;
            refusal = undefined;
            for (const one of held.splice(0)) add(one);
          } else add(piece);
        });
        for (const one of held) add(one);
        return;
      } catch (error) {
        if (signal?.aborted && !hasBegun) this.#noteSilence(place);
        if (signal?.aborted || !InferenceError.isInstance(error)) throw error;
        if (isRefusal(error)) {
          if (hasBegun || refusal) throw refusal?.error ?? error;
          refusal = { member, error };
        } else {
          if (error.code !== 'worker_failed' && error.code !== 'overloaded') throw error;
          this.#noteFailure(member, error);
          if (hasBegun && restart === undefined) throw error;
          // A busy server only reports when to retry.
          if (failure?.code !== 'overloaded') failure = error;
        }
        tried.add(member);
      } finally {
        this.#leave(place);
      }
    }
  }

  /** Gets an answer from one server, or the next if it fails. @throws the error of `call` */
  async ask<Answer>(call: (server: Server) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    let answer: Answer | undefined;
    await this.relay<Answer>(
      async (server, add) => add(await call(server)),
      (piece) => (answer = piece),
      { signal },
    );
    return answer!;
  }

  /** A slot at an untried server; `undefined` if all have been tried. */
  #take(
    tried: ReadonlySet<Member<Server>>,
    { signal, key, needsHealthy }: TakeOptions,
  ): Promise<Place<Server> | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(attempt);
        reject(new InferenceError('cancelled', 'The request was cancelled.'));
      };
      const attempt = (): boolean => {
        const open = this.#candidates(tried, needsHealthy);
        const free = open.filter(({ server, running }) => running < server.maxConcurrent);
        if (open.length > 0 && free.length === 0) return false;
        signal?.removeEventListener('abort', abort);
        const choose = () => (key === undefined ? free.reduce(lessBusy) : serverOfKey(free, key));
        resolve(free.length === 0 ? undefined : this.#enter(choose()));
        return true;
      };
      if (signal?.aborted) abort();
      else if (!attempt()) {
        this.#waiting.add(attempt);
        signal?.addEventListener('abort', abort, { once: true });
      }
    });
  }

  #candidates(tried: ReadonlySet<Member<Server>>, needsHealthy: boolean): Member<Server>[] {
    const isOpen = (member: Member<Server>): boolean => !tried.has(member);
    const sound = this.#members.filter(isSound).filter(isOpen);
    if (sound.length > 0) return sound;
    if (needsHealthy) return this.#members.filter(isHealthy).filter(isOpen);
    const reachable = this.#members.filter(({ isReachable }) => isReachable);
    return (reachable.length > 0 ? reachable : this.#members).filter(isOpen);
  }

  #enter(member: Member<Server>): Place<Server> {
    const turn = ++this.#turn;
    member.running++;
    member.takenAt = turn;
    if (member.rests > 0) member.trial ??= turn;
    return { member, turn, since: performance.now() };
  }

  #leave({ member, turn }: Place<Server>): void {
    member.running--;
    if (member.trial === turn) member.trial = undefined;
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    for (const attempt of this.#waiting) if (attempt()) this.#waiting.delete(attempt);
  }

  #noteSuccess({ member, turn }: Place<Server>, refusal: Refusal<Server> | undefined): void {
    if (refusal) this.#noteFailure(refusal.member, refusal.error);
    member.answeredAt = performance.now();
    // An answer to a request from before the last failure isn't evidence of recovery.
    if (turn <= member.failedAt) return;
    Object.assign(member, { failuresInRow: 0, rests: 0, restsUntil: 0, trial: undefined });
  }

  #noteFailure(member: Member<Server>, { code, retryAfterSeconds }: InferenceError): void {
    member.failures++;
    if (code === 'overloaded') {
      this.#rest(member, retryAfterSeconds === undefined ? busyRestMs : retryAfterSeconds * 1000);
      return;
    }
    member.failuresInRow++;
    this.#rest(member, Math.max(nextRestMs(member), isEjected(member) ? ejectedRestMs : 0));
    void this.#update(member, checkTimeoutMs);
  }

  /** A caller has left before any piece. That only counts as a failure if the server answered no request meanwhile. */
  #noteSilence({ member, since }: Place<Server>): void {
    const isSilent = member.answeredAt < since && performance.now() - since > silentMs;
    if (isSilent) this.#rest(member, nextRestMs(member));
  }

  #rest(member: Member<Server>, ms: number): void {
    const now = performance.now();
    member.failedAt = this.#turn;
    if (!rests(member)) member.rests++;
    member.restsUntil = Math.max(member.restsUntil, now + ms);
  }

  /** @returns why it can't be used */
  async #update(member: Member<Server>, timeoutMs: number): Promise<unknown> {
    if (member.isBeingChecked || this.#isClosed) return undefined;
    member.isBeingChecked = true;
    clearTimeout(member.timer);
    const failure: unknown = await this.#check(member.server, AbortSignal.timeout(timeoutMs)).catch(
      (error: unknown) => error,
    );
    member.isBeingChecked = false;
    member.isReachable = !failure;
    this.#serveWaiting();
    if (!this.#isClosed) {
      const intervalMs = this.#members.length > 1 || failure ? checkIntervalMs : loneCheckIntervalMs;
      member.timer = setTimeout(() => void this.#update(member, checkTimeoutMs), intervalMs).unref();
    }
    return failure;
  }
}

/** By the fraction of used slots; the least recently used one wins ties. */
function lessBusy<Server extends Upstream>(one: Member<Server>, other: Member<Server>): Member<Server> {
  const busyness = ({ running, server }: Member<Server>): number => running / server.maxConcurrent;
  const difference = busyness(other) - busyness(one);
  return difference < 0 || (difference === 0 && other.takenAt < one.takenAt) ? other : one;
}

function nextRestMs(member: Member<unknown>): number {
  return Math.min(maxRestMs, firstRestMs * 2 ** member.rests);
}

function rests({ restsUntil }: Member<unknown>): boolean {
  return performance.now() < restsUntil;
}

/** After a pause it gets one request, and more once that is answered. */
function isSound(member: Member<unknown>): boolean {
  return member.isReachable && !rests(member) && (member.rests === 0 || member.trial === undefined);
}

function isEjected({ failuresInRow }: Member<unknown>): boolean {
  return failuresInRow >= maxFailuresInRow;
}

/** A server that only pauses after a failure or two, or because it is busy, is healthy. */
function isHealthy(member: Member<unknown>): boolean {
  return member.isReachable && (isSound(member) || !isEjected(member));
}

const refusals: ReadonlySet<string> = new Set([
  'invalid_request',
  'request_too_large',
  'context_length_exceeded',
]);

/** Any server would reject it, unless this one is faulty. */
function isRefusal({ code }: InferenceError): boolean {
  return refusals.has(code);
}
