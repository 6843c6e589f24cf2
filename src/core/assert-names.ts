import { didYouMean } from './text/suggest.ts';

/**
 * Rejects unknown names in an options object.
 * @param owner the function, for the message
 */
export function assertNames<Options extends object>(
  owner: string,
  options: Options,
  known: readonly (keyof Options & string)[],
): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${owner}: expected an object of options, got ${String(options)}`);
  }
  for (const name in options) {
    if (known.includes(name)) continue;
    throw new TypeError(`${name}: ${owner} has no such option.${didYouMean(name, known)}`);
  }
}
