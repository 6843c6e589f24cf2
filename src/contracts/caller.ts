/**
 * Where responses are kept. Its functions may be called at the same time, from several hosts.
 *
 * @example
 * ```ts
 * const texts = new Map<string, string>();
 * const store: ResponseStore = {
 *   get: async (key) => texts.get(key),
 *   set: async (key, text) => texts.set(key, text),
 *   delete: async (key) => texts.delete(key),
 * };
 * ```
 */
export interface ResponseStore {
  /**
   * The text of a key, or `null` or `undefined` where there is none or its time is over.
   *
   * @param key `slashv1:responses:<plan>:<owner>:<id>`, each part percent-encoded
   */
  get(key: string): Promise<string | null | undefined>;
  /** @param expirySeconds the text must be forgotten after that time; at least 2 */
  set(key: string, text: string, expirySeconds: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/**
 * Values that are kept for one caller; no other caller finds them. Each is JSON of its own, so a list is kept in several values.
 * Every method throws `overloaded` when the store fails.
 */
export interface KeptValues {
  /** Max size of one value, in bytes of UTF-8: as much as of a request's body. */
  readonly maxBytes: number;
  /** @returns `undefined` if there is no value of that id */
  get(id: string): Promise<unknown>;
  /**
   * @param json the value as JSON
   * @returns whether it is kept: a value that is larger than `maxBytes` is not
   * @throws InferenceError `rate_limited` if the caller has written too much to a store of the host
   */
  set(id: string, json: string): Promise<boolean>;
  /**
   * Changes a value. Changes by this process follow one another.
   *
   * @param change gets `undefined` if there is no value of that id; it may throw, or return `undefined` to delete the value
   * @returns whether it is kept, as `set`
   */
  update(id: string, change: (value: unknown) => Promise<object | undefined>): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** Whether a value that was written at that time, in Unix seconds, must be renewed to outlive one that is written now. */
  isDue(writtenAt: number): boolean;
  /** Writes a value once more, so that its time begins anew. */
  renew(id: string): Promise<void>;
}

/** State of the service that belongs to one caller: to the keys of one `id` and plan, or to all where there are no keys. */
export interface CallerState {
  /** `undefined` where the handler's option `keepResponses` is off. */
  readonly kept: KeptValues | undefined;
  /** Encrypts a text that the caller carries for the service. */
  readonly seal: (text: string) => string;
  /** The text that was sealed; `undefined` for anything that this service has not sealed for this caller. */
  readonly unseal: (sealed: string) => string | undefined;
}
