import { InferenceError } from '../errors.ts';

/** Most uploads at a time, from their first byte until their file is removed. */
export interface UploadLimits {
  /** Uploads of all callers; default 128. */
  readonly count?: number | undefined;
  /** Uploads of one key, or of the keys of one `id`; default 32. */
  readonly countPerKey?: number | undefined;
  /** Bytes of all callers; default 16 × `maxUploadBytes`. */
  readonly bytes?: number | undefined;
  /** Bytes of one key, or of the keys of one `id`; default 4 × `maxUploadBytes`. */
  readonly bytesPerKey?: number | undefined;
}

/** Limits of uploads without gaps. */
export type ResolvedUploadLimits = { readonly [Name in keyof UploadLimits]-?: number };

/** The part of an upload in all that are under way. */
export interface UploadPlace {
  /**
   * The upload has so many bytes, or will have.
   *
   * @throws InferenceError `rate_limited` where the key has too many, `overloaded` where all have
   */
  grow(bytes: number): void;
  /** The file is removed. */
  leave(): void;
}

/** Counts the uploads under way in this process. */
export interface UploadGate {
  /**
   * @param owner of the key; `undefined` where the service is open, so that the limits of all hold alone
   * @throws InferenceError `rate_limited` or `overloaded`
   */
  enter(owner: string | undefined): UploadPlace;
}

interface Usage {
  count: number;
  bytes: number;
}

const retryAfterSeconds = 5;

/** Makes the gate of a handler. */
export function createUploadGate(limits: ResolvedUploadLimits): UploadGate {
  const all: Usage = { count: 0, bytes: 0 };
  const owners = new Map<string, Usage>();
  return {
    enter(owner) {
      const own = owner === undefined ? undefined : (owners.get(owner) ?? { count: 0, bytes: 0 });
      if (own && own.count >= limits.countPerKey) throw tooMany('rate_limited', `${own.count} uploads`);
      if (all.count >= limits.count) throw tooMany('overloaded', `${all.count} uploads`);
      if (own) owners.set(owner!, own);
      const usages = own ? [all, own] : [all];
      const add = (count: number, bytes: number): void => {
        for (const usage of usages) {
          usage.count += count;
          usage.bytes += bytes;
        }
      };
      add(1, 0);
      let [held, left] = [0, false];
      return {
        grow(bytes) {
          const more = bytes - held;
          if (more <= 0) return;
          if (own && own.bytes + more > limits.bytesPerKey)
            throw tooMany('rate_limited', `uploads of ${limits.bytesPerKey} bytes`);
          if (all.bytes + more > limits.bytes)
            throw tooMany('overloaded', `uploads of ${limits.bytes} bytes`);
          add(0, more);
          held = bytes;
        },
        leave() {
          if (left) return;
          left = true;
          add(-1, -held);
          if (own?.count === 0) owners.delete(owner!);
        },
      };
    },
  };
}

function tooMany(code: 'rate_limited' | 'overloaded', what: string): InferenceError {
  const whose = code === 'rate_limited' ? 'This key has' : 'The service has';
  const message = `${whose} ${what} under way, which is the most. Try again in ${retryAfterSeconds} s.`;
  return new InferenceError(code, message, { retryAfterSeconds });
}
