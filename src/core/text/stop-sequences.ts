import { assertNames } from '../assert-names.ts';
import { assertList, assertText } from '../assert-values.ts';
import { createMarkerScanner } from './marker-scanner.ts';

/** The text that a `StopMatcher` releases, and the sequence that stopped it. */
export interface StopMatch {
  /** Text that is certainly part of the answer. */
  readonly text: string;
  /** The sequence that ended the text, else `null`. */
  readonly stopped: string | null;
}

/** Searches for stop sequences in a stream of text. */
export interface StopMatcher {
  /** Number of UTF-16 code units withheld at the end of the input: temporarily or, after a stop, finally. */
  readonly withheld: number;
  /** After a stop, `text` stays `''` and `stopped` stays the sequence. */
  push(text: string): StopMatch;
  /** Returns the withheld text; `''` after a stop. */
  flush(): string;
}

/**
 * Ends a streamed text at the first stop sequence. The sequence itself, and any text that could become one, is
 * withheld, so no part of it leaks.
 *
 * The sequence that is complete first wins; of sequences with the same end, the longest. The result does not depend on
 * how the text is split into pieces. Time is linear in the text for each sequence.
 *
 * @param options.include whether to release the sequence that ended the text; default false
 * @throws RangeError for an empty sequence
 *
 * @example
 * ```ts
 * const matcher = createStopMatcher(['\nUser:']);
 * matcher.push('Fine.\nUs'); // { text: 'Fine.', stopped: null }
 * matcher.push('er: and'); // { text: '', stopped: '\nUser:' }
 * ```
 */
export function createStopMatcher(
  sequences: readonly string[],
  options: { readonly include?: boolean | undefined } = {},
): StopMatcher {
  assertNames('createStopMatcher', options, ['include']);
  const { include = false } = options;
  assertList('sequences', sequences, assertText);
  if (sequences.includes('')) throw new RangeError('sequences: expected non-empty strings, got ""');
  const scanner = createMarkerScanner(sequences);
  let stopped: string | null = null;
  let cut = 0;

  function push(text: string): StopMatch {
    if (stopped !== null) {
      cut += text.length;
      return { text: '', stopped };
    }
    const scan = scanner.scan(text);
    stopped = scan.marker;
    const marker = scan.marker ?? '';
    cut = text.length - scan.end + (include ? 0 : marker.length);
    return { text: include ? scan.text + marker : scan.text, stopped };
  }

  return {
    get withheld() {
      return stopped === null ? scanner.held : cut;
    },
    push,
    flush: scanner.flush,
  };
}
