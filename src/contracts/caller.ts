/**
 * Store for responses. Its functions may be called concurrently, from several hosts.
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
   * The text of a key; `null` or `undefined` if it is missing or expired.
   *
   * @param key `slashv1:responses:<plan>:<owner>:<id>`, each part percent-encoded
   */
  get(key: string): Promise<string | null | undefined>;
  /** @param expirySeconds the text must be deleted after that time; at least 2 */
  set(key: string, text: string, expirySeconds: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** Stored JSON values of one caller, isolated from different callers. Every method throws `overloaded` if the store fails. */
export interface KeptValues {
  /** Max bytes of one value (UTF-8); the limit of a request body. */
  readonly maxBytes: number;
  /** @returns `undefined` if the id is missing */
  get(id: string): Promise<unknown>;
  /** @returns false if the value is larger than `maxBytes` @throws InferenceError `rate_limited` if the caller has written too much */
  set(id: string, json: string): Promise<boolean>;
  /**
   * Changes by this process are serialized.
   * @param change receives `undefined` if the id is missing; returns `undefined` to delete the value
   * @returns as `set`
   */
  update(id: string, change: (value: unknown) => Promise<object | undefined>): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** True if a value written then (Unix seconds) must be renewed to outlive a value written now. */
  isDue(writtenAt: number): boolean;
  /** Restarts the expiry of a value. */
  renew(id: string): Promise<void>;
}

/** Service state of one caller: of the keys with one `id` and plan, or of all callers of an open service. */
export interface CallerState {
  /** `undefined` if the handler's option `keepResponses` is off. */
  readonly kept: KeptValues | undefined;
  /** Encrypts a text for the client to store. */
  readonly seal: (text: string) => string;
  /** Decrypts a sealed text; `undefined` unless this service sealed it for this caller. */
  readonly unseal: (sealed: string) => string | undefined;
}
