import type { Categories, Category } from './categories/registry.ts';
import type * as engine from './engine/observer.ts';
import type { RequestObserver } from './server/observer.ts';

/** One request to a model, typed by its category. Every call about it passes this same object. */
export type ObservedRun = {
  [C in Category]: Omit<engine.ObservedRun, 'category' | 'request'> & {
    readonly category: C;
    /** It holds what people wrote: it is not for records unless they agreed. */
    readonly request: Categories[C]['request'];
  };
}[Category];

/** Receives the events of an inference as they happen; every method is optional. */
export type InferenceObserver = engine.InferenceObserver<ObservedRun, Categories[Category]['event']>;

/**
 * Receives the events of a handler and its inference as they happen. Every method is optional, and an error that one
 * throws changes nothing.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
