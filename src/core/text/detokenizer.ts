import { assertFunction } from '../assert-values.ts';

/** Turns tokens into text as they come. */
export interface Detokenizer {
  /** Takes one token and returns the text that is certain now, `''` while a character is incomplete. */
  push(id: number): string;
  /**
   * Returns what is still held back, U+FFFD for an incomplete character. The next `push` begins a new text.
   */
  flush(): string;
}

const replacementCharacter = '\uFFFD';

/** A UTF-8 character has up to 4 bytes, so at most 3 tokens, of one byte or more, can be waiting for its end. */
const mostWaitingTokens = 3;

/** The window is cut back when a text that ends cleanly is made of this many tokens. */
const windowLimit = 16;

/** Tokens that a cut leaves, tried in this order: enough that the decoder treats the next token as one inside a text. */
const contextSizes = [4, 5, 6, 7, 8] as const;

/**
 * Wraps any tokenizer's `decode` so that it streams: the pieces and the flush together are exactly
 * `decode(all ids)`, and no piece ends inside a character.
 *
 * Only the last few tokens are decoded again for each new one (8 to 16 on average), so the cost of a token does not
 * grow with the text. Works for byte-level decoders, for byte fallback, and for decoders that strip the first
 * space. Where a decoder gives up a whole run of bytes for an invalid one, characters of it that were returned stay as they
 * were. U+FFFD that the model really wrote comes out too, at most three characters late.
 *
 * @param decode ids → text. It must keep the ids in order, must not hold on to the array, and is expected to show
 * incomplete UTF-8 as U+FFFD, as `TextDecoder` does. Ids that it leaves out (special tokens) may appear anywhere.
 *
 * @example
 * ```ts
 * const bytes = [0x48, 0x69, 0x20, 0xf0, 0x9f, 0x98, 0x80];
 * const detokenizer = createDetokenizer((ids) => new TextDecoder().decode(Uint8Array.from(ids)));
 * bytes.map((id) => detokenizer.push(id)); // ['H', 'i', ' ', '', '', '', '😀']
 * ```
 */
export function createDetokenizer(decode: (ids: readonly number[]) => string): Detokenizer {
  assertFunction('decode', decode);
  let window: number[] = [];
  let text = '';
  /** Length of the returned part of `text`. */
  let emitted = 0;
  /** Tokens since the text last ended with a complete character. */
  let waiting = 0;

  function push(id: number): string {
    window.push(id);
    const before = text.length;
    text = decode(window);
    if (text.length === before && decode([id, id]) === '') {
      window.pop();
      return '';
    }
    // A text that gets shorter has been completed, if only to a U+FFFD that somebody wrote.
    waiting = text.endsWith(replacementCharacter) && text.length >= before ? waiting + 1 : 0;
    const certain = text.length - heldLength();
    const piece = text.slice(emitted, certain);
    emitted = Math.max(emitted, certain);
    if (window.length >= (waiting === 0 ? windowLimit : 2 * windowLimit)) cutWindow();
    return piece;
  }

  function heldLength(): number {
    if (waiting === 0) return 0;
    const most = waiting <= mostWaitingTokens ? text.length : mostWaitingTokens;
    let held = 0;
    while (held < most && text[text.length - 1 - held] === replacementCharacter) held++;
    return held;
  }

  function cutWindow(): void {
    const owed = Math.max(0, text.length - emitted);
    const isLate = window.length >= 2 * windowLimit;
    let context: number[] = [];
    let contextText = '';
    for (const size of contextSizes) {
      context = window.slice(-size);
      contextText = decode(context);
      // A cut inside a character would show, but for U+FFFD: the rest of its bytes decode to something else.
      const isSure = isLate || !contextText.includes(replacementCharacter);
      if (isSure && contextText.length > owed && text.endsWith(contextText)) break;
      if (size === contextSizes.at(-1) && !isLate) return;
    }
    window = context;
    text = contextText;
    emitted = Math.max(0, text.length - owed);
  }

  function flush(): string {
    const rest = text.slice(emitted);
    window = [];
    text = '';
    emitted = 0;
    waiting = 0;
    return rest;
  }

  return { push, flush };
}
