import type { Categories, Category } from './categories/registry.ts';
import type * as untyped from './contracts/observer.ts';
import type { RequestObserver } from './contracts/observer.ts';

/** One request to a model, typed by its category. All calls about it pass the same object. */
export type ObservedRun = {
  [C in Category]: Omit<untyped.ObservedRun, 'category' | 'request'> & {
    readonly category: C;
    /** Contains user content: don't record it without consent. */
    readonly request: Categories[C]['request'];
  };
}[Category];

/** Receives the events of an inference as they happen; every method is optional. */
export type InferenceObserver = untyped.InferenceObserver<ObservedRun, Categories[Category]['event']>;

/**
 * Receives the events of a handler and its inference as they happen. Every method is optional; their
 * errors are ignored.
 *
 * @example
 * ```ts
 * const observer: Observer = { onRunEnd: ({ model }, { usage }) => console.log(model, usage) };
 * createHandler(inference, { auth, observers: [observer] });
 * ```
 */
export type Observer = InferenceObserver & RequestObserver;
