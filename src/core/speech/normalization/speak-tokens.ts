import type { Grammar, Speak, TokenClass } from './token.ts';

type Form = readonly [pattern: RegExp, speak: Speak];

/** Tokens between two pauses of {@link speakTokens}. */
const tokensPerStep = 128;
const plain = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|[^\S\n]+|[^]/uy;
const joined = /[\d@/\\_^&#+$€£<]|[.:=-](?=[\p{L}\d\\/])/uy;
const numeral = /^(?:[IVXLC]{1,8}(?:th|st|nd|rd)?|[ivx]{2,6})$/;
const isWordLike = /[\p{L}\p{M}\p{N}]/u;

/** Cuts a text into tokens of known classes, and says each. Each character is said once, by one class. */
export class TokenSpeaker {
  readonly #digits: readonly Form[];
  readonly #letters: readonly Form[];
  readonly #words: ReadonlySet<string>;
  readonly #marks = new Map<string, Form[]>();

  /** @param classes the earlier one says a token that fits several */
  constructor(classes: readonly TokenClass[]) {
    this.#digits = formsOf(classes.flatMap(({ digits }) => digits ?? []));
    this.#letters = formsOf(classes.flatMap(({ letters }) => letters ?? []));
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
      plain.lastIndex = at;
      const written = plain.exec(text)![0];
      const token = this.#read(text, at, written);
      const said = token?.said ?? written;
      if ((wasSpoken || token) && isWordLike.test(last) && isWordLike.test(said.charAt(0))) parts.push(' ');
      parts.push(said);
      last = said === '' ? last : said.slice(-1);
      wasSpoken = token !== undefined;
      at += token?.length ?? written.length;
    }
    return parts.join('');
  }

  #read(text: string, at: number, written: string): { said: string; length: number } | undefined {
    for (const [pattern, speak] of this.#formsOf(text, at, written)) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match || match[0] === '') continue;
      const said = typeof speak === 'string' ? speak : speak(match.groups ?? {}, match[0]);
      if (said !== undefined) return { said, length: match[0].length };
    }
    return undefined;
  }

  #formsOf(text: string, at: number, written: string): readonly Form[] {
    const first = written.charAt(0);
    if (first >= '0' && first <= '9') return this.#digits;
    if (first === ' ' && isWordLike.test(text.charAt(at + 1))) return [];
    const marked = this.#marks.get(first);
    if (marked) return marked;
    if (!isWordLike.test(first)) return [];
    joined.lastIndex = at + written.length;
    const isCandidate = this.#words.has(written) || joined.test(text) || numeral.test(written);
    return isCandidate || isInitial(written, text, at) ? this.#letters : [];
  }
}

function formsOf(grammar: Grammar): Form[] {
  const forms: Form[] = [];
  let patterns: RegExp[] = [];
  for (const part of grammar) {
    if (part instanceof RegExp) {
      patterns.push(part);
      continue;
    }
    forms.push(...patterns.map((pattern) => [pattern, part] as const));
    patterns = [];
  }
  return forms;
}

function isInitial(written: string, text: string, at: number): boolean {
  return written.length === 1 && text[at + 1] === '.' && written !== written.toLowerCase();
}
