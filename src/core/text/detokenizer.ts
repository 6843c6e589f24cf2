import { assertFunction } from '../assert-values.ts';

/** Converts a stream of tokens to text. */
export interface Detokenizer {
  /** Adds a token and returns the text that is now certain, `''` while a character is incomplete. */
  push(id: number): string;
  /** Returns the remaining text, U+FFFD for an incomplete character. The next `push` begins a new text. */
  flush(): string;
}

const replacementCharacter = '\uFFFD';

/** A UTF-8 character has up to 4 bytes, so at most 3 tokens of at least one byte can wait for its end. */
const maxWaitingTokens = 3;

/** The window is trimmed when a text with a clean end consists of this many tokens. */
const windowLimit = 16;

/** Tokens to keep when trimming, tried in order: enough for the decoder to treat the next token as inside a text. */
const contextSizes = [4, 5, 6, 7, 8] as const;

/**
 * Wraps a tokenizer's `decode` for streaming: the concatenated pieces and the flush equal `decode(all ids)`, and no
 * piece ends inside a character.
 *
 * Only the last few tokens are decoded again for each new one (8 to 16 on average), so the cost of a token does not
 * grow with the text. Works for byte-level decoders, for byte fallback, and for decoders that strip the first space. If
 * a decoder replaces a whole run of bytes because of an invalid one, characters of the run that were returned already
 * don't change. U+FFFD from the model itself is returned too, at most three characters late.
 *
 * @param decode ids → text. It must decode ids in order, must not keep the array, and is expected to decode incomplete
 * UTF-8 as U+FFFD, like `TextDecoder`. Ids that it skips (special tokens) may appear anywhere.
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
    // A text that becomes shorter is complete, even if it ends in a literal U+FFFD.
    waiting = text.endsWith(replacementCharacter) && text.length >= before ? waiting + 1 : 0;
    const certain = text.length - heldLength();
    const piece = text.slice(emitted, certain);
    emitted = Math.max(emitted, certain);
    if (window.length >= (waiting === 0 ? windowLimit : 2 * windowLimit)) cutWindow();
    return piece;
  }

  function heldLength(): number {
    if (waiting === 0) return 0;
    const most = waiting <= maxWaitingTokens ? text.length : maxWaitingTokens;
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
      // A cut inside a character changes the text, unless it contains U+FFFD: the character's remaining bytes decode
      // differently.
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
