import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import { intersection } from './code-points.ts';
import type { Writing } from './expression.ts';
import { plainText } from './json-text.ts';
import { LanguageTooHard, type Language, type LanguageStore, type Run, type Transition } from './language.ts';
import { isLive, liveTransitionsOf } from './live.ts';
import { allKinds, anyRun, kindsOf, longer, noRun } from './run.ts';
import { findShortestText } from './shortest.ts';
import { utf8Bytes } from './utf8.ts';

/** A partially read text. */
export interface Reading {
  readonly id: number;
  readonly language: Language;
  /**
   * The bytes of an incomplete character, or one star per missing byte if all completions lead to `language`. Empty
   * between characters.
   */
  readonly part: string;
}

/** Maximum steps per state; characters that would need more are treated as dead ends. */
const maxWorkPerByte = 3000;
const maxWorkPerRescue = 40_000;
/** States that are checked before a language is used. */
const maxProbed = 32;
/** Beyond this, readings and languages are dropped and recreated on demand. */
const maxReadings = 20_000;
const maxBytes = 16 * 2 ** 20;
const bytesOfReading = 200;

const shortEscapes = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [pair[0]!, pair.charCodeAt(1)]),
);
/** `\u` with some of its digits, or a surrogate pair with an incomplete second part. */
const longEscape = /^\\u(?:(d[89ab][\da-f]{2})(?:\\(?:u([\da-f]{0,4}))?)?|([\da-f]{0,4}))$/i;

/** Characters that JSON must escape: those with a short escape, and the control characters without one. */
const neededEscapes = [...shortEscapes.values()].filter((codePoint) => codePoint !== 0x2f);
const longEscapes = [
  [0, 0x07],
  [0x0b, 0x0b],
  [0x0e, 0x1f],
] as const;

/** Reads texts of a language byte by byte, and follows only paths that can be completed. */
export class LanguageReader {
  /** Shared by several readers. */
  readonly store: LanguageStore;
  readonly #isJson: boolean;
  /** Which characters may have an escape: all, non-ASCII too, or only characters that need one. */
  readonly #escapes: 'all' | 'beyond-ascii' | 'needed';
  #readings = new Map<string, Reading>();
  #ids = 0;
  readonly #starts = new WeakMap<readonly string[], Reading>();
  readonly start: Reading;
  readonly language: Language;

  /** @param writesAll whether the model can generate every character unescaped */
  constructor(language: Language, store: LanguageStore, writing: Writing, writesAll = true) {
    this.store = store;
    this.#isJson = writing !== 'plain';
    this.#escapes = writing === 'escaped-json-string' ? 'all' : writesAll ? 'needed' : 'beyond-ascii';
    this.language = language;
    this.start = this.#reading(language);
  }

  /** The start of a text that differs from all `items`, given as JSON. At least one text must remain. */
  startWithout(items: readonly string[]): Reading {
    if (items.length === 0) return this.start;
    return getOrCreate(this.#starts, items, () => {
      this.store.allow(Infinity);
      const texts = items.map((item) => this.store.text(this.#isJson ? String(JSON.parse(item)) : item));
      const others = this.store.complement(this.store.union(...texts));
      return this.#reading(this.store.intersection(this.language, others));
    });
  }

  /** Approximate memory in bytes, without the store. */
  get bytes(): number {
    return bytesOfReading * this.#readings.size;
  }

  /** Drops all readings; readings held elsewhere remain valid. */
  clear(): void {
    this.#readings = new Map();
    this.store.clear();
  }

  mayEnd({ language, part }: Reading): boolean {
    return part === '' && language.nullable;
  }

  mayGoOn({ language, part }: Reading): boolean {
    return part !== '' || this.#transitions(language).length > 0;
  }

  /** The transitions of a language; a dead end is confirmed by a more expensive search. */
  #transitions(language: Language): readonly Transition[] {
    for (const steps of [maxWorkPerByte, maxWorkPerRescue]) {
      this.store.allow(steps);
      const transitions = orElse(() => liveTransitionsOf(language, this.store), [], LanguageTooHard);
      if (transitions.length > 0 || (language.liveTransitions && language.nullable)) return transitions;
      language.liveTransitions = undefined;
    }
    language.liveTransitions = [];
    return [];
  }

  /** @returns `undefined` for a byte that can't follow */
  next(reading: Reading, byte: number): Reading | undefined {
    if (this.#readings.size > maxReadings || this.store.bytes > maxBytes) this.clear();
    return this.#next(reading, byte);
  }

  /** A range around `byte` in which all bytes have the same successor. */
  alike({ language, part }: Reading, byte: number): { readonly low: number; readonly high: number } {
    if (part.startsWith('*')) return incompleteParts.find((one) => byte <= one.high)!;
    const transitions = part ? [] : this.#transitions(language);
    if (byte >= 0x80 && (transitions.at(-1)?.to ?? 0x80) < 0x80) return { low: 0x80, high: 0xff };
    if (part || byte >= 0x80) return { low: byte, high: byte };
    let { low, high } = (this.#isJson ? jsonParts : plainParts).find((one) => byte <= one.high)!;
    for (const { from, to } of transitions) {
      if (to < byte) low = Math.max(low, to + 1);
      else {
        low = from > byte ? low : Math.max(low, from);
        high = Math.min(high, from > byte ? from - 1 : to);
        break;
      }
    }
    return { low, high };
  }

  /** The approximately shortest completion, in bytes; `undefined` if the search costs too much. */
  ending(reading: Reading): readonly number[] | undefined {
    const bytes: number[] = [];
    let here = reading;
    while (here.part !== '') {
      const byte = bytesInTurn.find((candidate) => this.next(here, candidate) !== undefined);
      if (byte === undefined) return undefined;
      bytes.push(byte);
      here = this.next(here, byte)!;
    }
    const text = findShortestText(here.language, this.store);
    if (text === undefined) return undefined;
    return [...bytes, ...utf8Bytes(this.#isJson ? JSON.stringify(text).slice(1, -1) : text)];
  }

  run({ language, part }: Reading): Run {
    return part === '' ? runOf(language, this.store) : noRun;
  }

  /** Whether the reading is inside free text, where nearly any character may follow, or inside a character of it. */
  isFree({ language }: Reading): boolean {
    const { kinds, characters } = runOf(language, this.store);
    return kinds === allKinds && characters > 0;
  }

  #next({ language, part }: Reading, byte: number): Reading | undefined {
    if (part.startsWith('*'))
      return isContinuation(byte) ? this.#reading(language, part.slice(1)) : undefined;
    const bytes = part + String.fromCharCode(byte);
    return this.#isJson && bytes.startsWith('\\')
      ? this.#escape(language, bytes)
      : this.#character(language, bytes);
  }

  #character(language: Language, bytes: string): Reading | undefined {
    const first = bytes.charCodeAt(0);
    if (first < 0x80) {
      const isText = !this.#isJson || (first >= 0x20 && first !== 0x22);
      return isText ? this.#after(language, first) : undefined;
    }
    if (first < 0xc2 || first > 0xf4) return undefined;
    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let bits = first & (0x7f >> length);
    for (let at = 1; at < bytes.length; at++) {
      if (!isContinuation(bytes.charCodeAt(at))) return undefined;
      bits = bits * 64 + (bytes.charCodeAt(at) & 0x3f);
    }
    const span = 64 ** (length - bytes.length);
    const from = Math.max(bits * span, minCodePointOf[length]!);
    const to = bits * span + span - 1;
    const transition = this.#find(language, from);
    if (!transition || from > to || transition.from > to) return undefined;
    const isAll = transition.from <= from && transition.to >= to && from === bits * span;
    return isAll
      ? this.#reading(transition.target, '*'.repeat(length - bytes.length))
      : this.#reading(language, bytes);
  }

  #escape(language: Language, bytes: string): Reading | undefined {
    if (bytes === '\\') {
      const isEscaped =
        this.#leadsEscaped(language, 0, 0x10ffff) ||
        neededEscapes.some((codePoint) => this.#leads(language, codePoint, codePoint));
      return isEscaped ? this.#reading(language, bytes) : undefined;
    }
    const short = shortEscapes.get(bytes.slice(1));
    if (short !== undefined)
      return short !== 0x2f || this.#escapes === 'all' ? this.#after(language, short) : undefined;
    const match = longEscape.exec(bytes);
    if (!match) return undefined;
    const [, high, low = '', digits = ''] = match;
    if (high !== undefined) {
      const base = firstOfPair(Number.parseInt(high, 16)) - 0xdc00;
      const [from, to] = within(hexSpan(low), 0xdc00, 0xdfff);
      if (low.length === 4) return from === to ? this.#after(language, base + from) : undefined;
      return from <= to && this.#leads(language, base + from, base + to)
        ? this.#reading(language, bytes)
        : undefined;
    }
    const [from, to] = hexSpan(digits);
    const [first, last] = within([from, to], 0xd800, 0xdbff);
    const isPair =
      first <= last &&
      this.#escapes !== 'needed' &&
      this.#leads(language, firstOfPair(first), firstOfPair(last) + 0x3ff);
    if (!isPair && !this.#leadsEscaped(language, from, to)) return undefined;
    return digits.length === 4 ? this.#after(language, from) : this.#reading(language, bytes);
  }

  #after(language: Language, codePoint: number): Reading | undefined {
    const transition = this.#find(language, codePoint);
    return transition && codePoint <= transition.to && codePoint >= transition.from
      ? this.#reading(transition.target)
      : undefined;
  }

  /** The first transition that ends at or after a code point. */
  #find(language: Language, codePoint: number): Transition | undefined {
    const transitions = language.liveTransitions ?? this.#transitions(language);
    let low = 0;
    for (let high = transitions.length; low < high;) {
      const middle = (low + high) >> 1;
      if (transitions[middle]!.to < codePoint) low = middle + 1;
      else high = middle;
    }
    return transitions[low];
  }

  #leads(language: Language, from: number, to: number): boolean {
    const transition = this.#find(language, from);
    return transition !== undefined && transition.from <= to;
  }

  /** Whether `\u` may encode one of these characters. */
  #leadsEscaped(language: Language, from: number, to: number): boolean {
    if (this.#escapes === 'all') return this.#leads(language, from, to);
    if (this.#escapes === 'beyond-ascii' && to > 0x7f && this.#leads(language, Math.max(from, 0x80), to))
      return true;
    // If regular characters can follow too, `\u00` must not be allowed: a model that meant a letter would be forced
    // into a control character.
    if (this.#leads(language, 0x20, 0x10ffff)) return false;
    return longEscapes.some(([low, high]) => {
      const [first, last] = within([from, to], low, high);
      return first <= last && this.#leads(language, first, last);
    });
  }

  #reading(language: Language, part = ''): Reading {
    const key = `${language.id} ${part}`;
    return getOrCreate(this.#readings, key, () => ({ id: ++this.#ids, language, part }));
  }
}

const bytesInTurn = Array.from({ length: 256 }, (_, byte) => byte);

/** Ranges of bytes with the same handling: of ASCII, and within a character. */
const plainParts = rangesTo(0x7f);
const jsonParts = rangesTo(0x1f, 0x21, 0x22, 0x5b, 0x5c, 0x7f);
const incompleteParts = rangesTo(0x7f, 0xbf, 0xff);

function rangesTo(...ends: readonly number[]) {
  return ends.map((high, index) => ({ low: index === 0 ? 0 : ends[index - 1]! + 1, high }));
}

/** The first code point that needs a given number of bytes. */
const minCodePointOf = [0, 0, 0x80, 0x800, 0x10000];

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

/** The range of code points with these leading hex digits. */
function hexSpan(digits: string): readonly [number, number] {
  return [Number.parseInt(digits.padEnd(4, '0'), 16), Number.parseInt(digits.padEnd(4, 'f'), 16)];
}

function within([from, to]: readonly [number, number], low: number, high: number): readonly [number, number] {
  return [Math.max(from, low), Math.min(to, high)];
}

/** The first code point with this high surrogate. */
function firstOfPair(high: number): number {
  return 0x10000 + (high - 0xd800) * 0x400;
}

function runOf(language: Language, store: LanguageStore): Run {
  language.run ??= findRun(language, store);
  return language.run;
}

function findRun(language: Language, store: LanguageStore): Run {
  if (language === store.all || isFreeOfText(language, store)) return anyRun;
  if (language.kind === 'intersection') {
    const others = language.items.filter((item) => !isFreeOfText(item, store));
    return others.length === 1 && others[0]!.kind === 'repetition' ? runOf(others[0]!, store) : noRun;
  }
  if (language.isConditional) return noRun;
  let run = noRun;
  let here: Language = language;
  for (; here.kind === 'concatenation' && here.first.nullable; here = here.rest)
    run = longer(run, runOf(here.first, store));
  if (here.kind === 'concatenation') here = here.first;
  if (here.kind === 'repetition') return longer(run, { kinds: kindsWithin(here.item), characters: here.max });
  return here.kind === 'union'
    ? here.items.reduce((longest, item) => longer(longest, runOf(item, store)), run)
    : run;
}

/** The kinds of characters of which every character is one of the texts. */
function kindsWithin(language: Language): number {
  if (language.kind === 'union') return language.items.reduce((kinds, item) => kinds | kindsWithin(item), 0);
  return language.kind === 'characters' ? kindsOf(language.set) : 0;
}

/** Whether it is all texts without a certain substring that begins with a non-plain character. */
function isFreeOfText(language: Language, { all }: LanguageStore): boolean {
  if (language.kind !== 'complement' || language.item.kind !== 'concatenation') return false;
  const { first, rest } = language.item;
  const start = rest.kind === 'concatenation' ? rest.first : undefined;
  return first === all && start?.kind === 'characters' && intersection(plainText, start.set).length === 0;
}

/** Checks that a language contains a text, and that its first states can be followed at a bounded cost. */
export function probe(language: Language, store: LanguageStore, steps: number): boolean {
  store.allow(steps);
  const end = store.limit;
  if (!isLive(language, store)) return false;
  const visited = new Set([language]);
  for (const here of visited) {
    if (visited.size > maxProbed) break;
    store.allow(Math.max(0, Math.min(maxWorkPerByte, end - store.work)));
    for (const { target } of liveTransitionsOf(here, store)) visited.add(target);
  }
  return true;
}
