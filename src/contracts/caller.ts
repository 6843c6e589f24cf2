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
  /** @param expirySeconds the text is forgotten after that time; at least 1 */
  set(key: string, text: string, expirySeconds: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** Values that are kept for one caller; no other caller finds them. */
export interface KeptValues {
  /** Most of one value, as JSON in UTF-8: as much as of a request's body. */
  readonly maxBytes: number;
  /**
   * @returns `undefined` where there is none of that id
   * @throws InferenceError `overloaded` where the store fails
   */
  get(id: string): Promise<unknown>;
  /**
   * @returns whether it is kept: one that is larger than `maxBytes` is not
   * @throws InferenceError `overloaded` where the store fails
   */
  set(id: string, value: object): Promise<boolean>;
  /**
   * Changes a value. Changes by this process follow one another.
   *
   * @param change gets `undefined` where there is none of that id; it throws, or returns `undefined` to delete the value
   * @returns whether it is kept, as `set`
   * @throws InferenceError `overloaded` where the store fails
   */
  update(id: string, change: (value: unknown) => object | undefined): Promise<boolean>;
  /** @throws InferenceError `overloaded` where the store fails */
  delete(id: string): Promise<void>;
  readonly work: KeptWork;
}

/** Work on kept values that goes on when its request has been answered. Each is known by the id of its value. */
export interface KeptWork {
  /** @throws InferenceError `overloaded` where the store fails */
  begin(id: string): Promise<WorkUnderWay>;
  /**
   * Whether it has not ended yet, in whichever process.
   *
   * @throws InferenceError `overloaded` where the store fails
   */
  isUnderWay(id: string): Promise<boolean>;
  /**
   * Aborts it, in whichever process, and waits until it has ended. Harmless when there is none.
   *
   * @throws InferenceError `overloaded` where the store fails, or another process doesn't end it in time
   */
  stop(id: string): Promise<void>;
}

/** Work that has begun. */
export interface WorkUnderWay {
  /** Aborted by `stop`. */
  readonly signal: AbortSignal;
  /** Call it when the work has ended and its value is kept. It never rejects. */
  end(): Promise<void>;
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
