import { InferenceError } from '../errors.ts';
import { serverOfKey } from './rendezvous-hashing.ts';
import type { UpstreamStatus } from '../contracts/run.ts';

const checkIntervalMs = 1000;
/** A single server is asked more rarely: nobody else would get its requests, but its host may be left out. */
const loneCheckIntervalMs = 5000;
const checkTimeoutMs = 900;
/** A server may take longer to describe itself when it is asked for the first time. */
const firstCheckTimeoutMs = 3000;
/** A server that describes itself well and fails so many requests in a row is ejected for a while all the same. */
const mostFailuresInRow = 3;
const firstRestMs = 250;
const ejectedRestMs = 2000;
const longestRestMs = 60_000;
/** A caller that leaves earlier says nothing about the server. */
const silentMs = 1000;
/** Rest of a server that is busy and doesn't say for how long. */
const busyRestMs = 1000;

/** A server among several that run the same model. */
export interface Upstream {
  /** Its address. */
  readonly url: string;
  /** Requests that it gets at once. */
  readonly maxConcurrent: number;
}

export interface UpstreamsOptions<Server extends Upstream> {
  readonly servers: readonly Server[];
  /** Asks a server whether it can be used. */
  check(server: Server, signal: AbortSignal): Promise<void>;
}

/** How a request is sent, and sent again. */
export interface StreamOptions<Piece> {
  readonly signal?: AbortSignal | undefined;
  /** Pieces that wait for the next one, since they are no sign that an answer follows. */
  readonly isPrelude?: ((piece: Piece) => boolean) | undefined;
  /** Requests of one key go to the same server, as long as it is sound and not far busier than the others. */
  readonly key?: string | undefined;
  /** Begins the answer of another server, after pieces that don't count any more; without it none follows those. */
  readonly restart?: Piece | undefined;
}

interface Member<Server> {
  readonly server: Server;
  /** Has passed its last check. */
  isReachable: boolean;
  running: number;
  failures: number;
  failuresInRow: number;
  /** Since the last success; each is twice as long as the one before. */
  rests: number;
  restsUntil: number;
  /** The last turn when it failed. */
  failedAt: number;
  answeredAt: number;
  /** The last turn when it was given a request. */
  takenAt: number;
  /** The turn of the request that tries it after a rest. */
  trial: number | undefined;
  isBeingChecked: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A place at a server; `turn` counts the requests of all. */
interface Place<Server> {
  readonly member: Member<Server>;
  readonly turn: number;
  readonly since: number;
}

interface TakeOptions extends Pick<StreamOptions<never>, 'signal' | 'key'> {
  /** Whether unhealthy servers are left out, also where there is no other. */
  readonly needsHealthy: boolean;
}

/** A request that a server doesn't accept. */
interface Refusal<Server> {
  readonly member: Member<Server>;
  readonly error: InferenceError;
}

/**
 * The servers that run one model. A request goes to the sound one that is least busy, measured by its share of `maxConcurrent`,
 * equals in turn; where none is sound, to any. A server that fails rests, ever longer, and is then tried with one request; one
 * that says when it is free again rests until then.
 */
export class Upstreams<Server extends Upstream> {
  readonly #members: readonly Member<Server>[];
  readonly #check: UpstreamsOptions<Server>['check'];
  /** Requests that wait for a place, in the order of their arrival; each returns whether it has taken one. */
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

  /** Requests that all of them get at once. */
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

  /** Checks all of them, from then on in the background. */
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
   * Asks one server for an answer in pieces, and another where it fails before a piece that counts. Where one refuses the
   * request, a second one is asked: if that accepts it, the first has failed.
   */
  async *stream<Piece>(
    open: (server: Server) => AsyncIterable<Piece>,
    { signal, key, isPrelude = () => false, restart }: StreamOptions<Piece> = {},
  ): AsyncGenerator<Piece> {
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
        if (hasBegun) yield restart!;
        hasBegun = false;
        for await (const piece of open(member.server)) {
          if (isPrelude(piece)) {
            held.push(piece);
            continue;
          }
          if (!hasBegun) this.#noteSuccess(place, refusal);
          hasBegun = true;
          refusal = undefined;
          // Delegation takes turns of its own, also to nothing.
          if (held.length > 0) yield* held.splice(0);
          yield piece;
        }
        yield* held;
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
          // A server that is only busy says when to come again.
          if (failure?.code !== 'overloaded') failure = error;
        }
        tried.add(member);
      } finally {
        this.#leave(place);
      }
    }
  }

  /** Asks one server for an answer, and another where it fails. @throws what `call` throws */
  async ask<Answer>(call: (server: Server) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    const answers = this.stream(
      async function* (server) {
        yield await call(server);
      },
      { signal },
    );
    for await (const answer of answers) return answer;
    throw new TypeError('expected an answer');
  }

  /** A place at a server that hasn't been tried; `undefined` where all have. */
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
    // An answer that was asked for before the last failure says nothing about now.
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

  /** A caller has left before it had anything. That is no failure, unless the server answered nobody meanwhile. */
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

/** By the share of its places that are taken; of equals, the one whose turn is longest ago. */
function lessBusy<Server extends Upstream>(one: Member<Server>, other: Member<Server>): Member<Server> {
  const busyness = ({ running, server }: Member<Server>): number => running / server.maxConcurrent;
  const difference = busyness(other) - busyness(one);
  return difference < 0 || (difference === 0 && other.takenAt < one.takenAt) ? other : one;
}

function nextRestMs(member: Member<unknown>): number {
  return Math.min(longestRestMs, firstRestMs * 2 ** member.rests);
}

function rests({ restsUntil }: Member<unknown>): boolean {
  return performance.now() < restsUntil;
}

/** After a rest it gets one request, and the next ones when that is answered. */
function isSound(member: Member<unknown>): boolean {
  return member.isReachable && !rests(member) && (member.rests === 0 || member.trial === undefined);
}

function isEjected({ failuresInRow }: Member<unknown>): boolean {
  return failuresInRow >= mostFailuresInRow;
}

/** One that only rests after a failure or two, or since it is busy, is healthy. */
function isHealthy(member: Member<unknown>): boolean {
  return member.isReachable && (isSound(member) || !isEjected(member));
}

const refusals: ReadonlySet<string> = new Set([
  'invalid_request',
  'request_too_large',
  'context_length_exceeded',
]);

/** Another server would refuse it too, unless this one is out of order. */
function isRefusal({ code }: InferenceError): boolean {
  return refusals.has(code);
}
