import type { Grammar, Speak, TokenClass } from './token.ts';

interface Forms {
  readonly when: RegExp | undefined;
  readonly forms: readonly (readonly [pattern: RegExp, speak: Speak])[];
}

/** Tokens between two pauses of {@link TokenSpeaker.speak}. */
const tokensPerStep = 128;
const plain = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|[^\S\n]+|[^]/uy;
const joined = /[\d@/\\_^&#+$€£<]|[.:=-](?=[\p{L}\d\\/])/uy;
const numeral = /^(?:[IVXLC]{1,8}(?:th|st|nd|rd)?|[ivx]{2,6})$/;
const wordLike = /[\p{L}\p{M}\p{N}]/u;

/** Cuts a text into tokens of known classes, and says each. Each character is said once, by one class. */
export class TokenSpeaker {
  readonly #digits: readonly Forms[];
  readonly #letters: readonly Forms[];
  readonly #words: ReadonlySet<string>;
  readonly #marks = new Map<string, readonly Forms[]>();

  /** @param classes the earlier one says a token that fits several */
  constructor(classes: readonly TokenClass[]) {
    this.#digits = classes.flatMap(({ digits, when }) => formsOf(digits, when));
    this.#letters = classes.flatMap(({ letters, when }) => formsOf(letters, when));
    this.#words = new Set(classes.flatMap(({ words }) => [...(words ?? [])]));
    for (const [marks, grammar] of classes.flatMap((one) => Object.entries(one.marks ?? {})))
      for (const mark of marks)
        this.#marks.set(mark, [...(this.#marks.get(mark) ?? []), ...formsOf(grammar)]);
  }

  /** Yields between tokens, since a text may be long. */
  *speak(text: string): Generator<void, string> {
    const parts: string[] = [];
    let last = '';
    for (let at = 0, count = 0, wasSpoken = false; at < text.length; count += 1) {
      if (count % tokensPerStep === 0) yield;
      const written = textFrom(text, at);
      const token = this.#read(text, at, written);
      const said = token?.said ?? written;
      if ((wasSpoken || token) && isWordLike(last) && isWordLike(said.charAt(0))) parts.push(' ');
      parts.push(said);
      last = said === '' ? last : said.charAt(said.length - 1);
      wasSpoken = token !== undefined;
      at += token?.length ?? written.length;
    }
    return parts.join('');
  }

  #read(text: string, at: number, written: string): { said: string; length: number } | undefined {
    for (const { when, forms } of this.#formsAt(text, at, written)) {
      if (when && !testAt(when, text, at)) continue;
      for (const [pattern, speak] of forms) {
        pattern.lastIndex = at;
        const match = pattern.exec(text);
        if (!match || match[0] === '') continue;
        const said = typeof speak === 'string' ? speak : speak(match.groups ?? {}, match[0]);
        if (said !== undefined) return { said, length: match[0].length };
      }
    }
    return undefined;
  }

  #formsAt(text: string, at: number, written: string): readonly Forms[] {
    const first = written.charAt(0);
    if (first >= '0' && first <= '9') return this.#digits;
    if (first === ' ' && isWordLike(text.charAt(at + 1))) return [];
    const marked = this.#marks.get(first);
    if (marked) return marked;
    if (!isWordLike(first)) return [];
    const after = at + written.length;
    const isCandidate =
      this.#words.has(written) ||
      (text[after] !== ' ' && testAt(joined, text, after)) ||
      numeral.test(written) ||
      (written.length === 1 && text[after] === '.' && written !== written.toLowerCase());
    return isCandidate ? this.#letters : [];
  }
}

function formsOf(grammar: Grammar = [], when?: RegExp): Forms[] {
  const forms: [RegExp, Speak][] = [];
  let patterns: RegExp[] = [];
  for (const part of grammar) {
    if (part instanceof RegExp) patterns.push(part);
    else {
      for (const pattern of patterns) forms.push([pattern, part]);
      patterns = [];
    }
  }
  return forms.length === 0 ? [] : [{ when, forms }];
}

/** The word, the spaces or the character at an offset. */
function textFrom(text: string, at: number): string {
  let end = at;
  while (isAsciiLetter(text.charCodeAt(end))) end += 1;
  const next = text.charCodeAt(end);
  if (next < 0x80 && next !== 0x27 && (end > at || next !== 0x20))
    return text.slice(at, Math.max(end, at + 1));
  plain.lastIndex = at;
  return plain.exec(text)![0];
}

function isWordLike(character: string): boolean {
  const code = character.charCodeAt(0);
  return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39) || (code > 0x7f && wordLike.test(character));
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
