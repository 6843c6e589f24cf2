import { assertNames } from '../assert-names.ts';
import { assertList, assertText } from '../assert-values.ts';
import { createMarkerScanner } from './marker-scanner.ts';

/** The text that a `StopMatcher` lets through, and the sequence that stopped it. */
export interface StopMatch {
  /** Text that is certainly part of the answer. */
  readonly text: string;
  /** The sequence that ended the text, `null` while none has. */
  readonly stopped: string | null;
}

/** Looks for stop sequences in text that comes in pieces. */
export interface StopMatcher {
  /** Number of UTF-16 code units at the end of the input that are held back: for now, or after a stop, for good. */
  readonly withheld: number;
  /** After a sequence was found, `text` stays `''` and `stopped` stays that sequence. */
  push(text: string): StopMatch;
  /** Returns the text that was held back as a possible beginning of a sequence; `''` after a stop. */
  flush(): string;
}

/**
 * Ends a streamed text at the first stop sequence. The sequence itself, and whatever could still become one, is
 * held back, so no part of it leaks.
 *
 * The sequence that is complete first wins; among those that end at the same place, the longest. The result does
 * not depend on how the text was cut into pieces. Time is linear in the text for each sequence.
 *
 * @param options.include whether the sequence that ended the text is let through after all; default false
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
