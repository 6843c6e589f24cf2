import { didYouMean } from './text/suggest.ts';

/**
 * Refuses names that an options object has and its function doesn't know.
 *
 * @param owner the function, for the message
 * @throws TypeError for anything but an object, and for the first unknown name, with the one that was probably meant
 *
 * @example
 * ```ts
 * assertNames('createSampler', { seed: 1 }, ['vocabularySize', 'seed']); // undefined
 * ```
 */
export function assertNames(owner: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${owner}: expected an object of options, got ${String(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${unknown}: ${owner} has no such option.${didYouMean(unknown, known)}`);
}
