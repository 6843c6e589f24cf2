import { getOrCreate } from '../../get-or-create.ts';
import type { Bounds, Expression, LanguageText, Rule } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import { LanguageReader } from '../languages/reader.ts';
import { isNullable } from '../languages/nullable.ts';
import { productiveExpressions } from '../languages/productive.ts';
import { allKinds, kindsOf } from '../languages/run.ts';
import { sharedLength, utf8Bytes, utf8Sequences, type ByteRange } from '../languages/utf8.ts';

/** A step of a machine that reads bytes; `next` and the like are indexes of steps. */
export type Step =
  | { readonly op: 'byte'; readonly low: number; readonly high: number; readonly next: number }
  /** `kinds`: for a loop whose rounds may be any character of these kinds. */
  | { readonly op: 'split'; next: readonly number[]; readonly kinds: number }
  | { readonly op: 'call'; readonly rule: Rule; readonly next: number }
  | { readonly op: 'return' }
  /** Starts counting the rounds of the loop at `next`. */
  | { readonly op: 'count'; readonly next: number }
  | (Bounds & {
      readonly op: 'loop';
      body: number;
      readonly exit: number;
      /** Whether a round may be empty. */
      readonly nullable: boolean;
      readonly kinds: number;
    })
  /** Starts reading a text of a language at `next`. */
  | { readonly op: 'begin'; readonly reader: LanguageReader; readonly next: number }
  | { readonly op: 'read'; readonly reader: LanguageReader; readonly exit: number }
  /** Starts a `distinct` list at its first item; `loop` counts the items and leads to the later ones. */
  | { readonly op: 'distinct'; readonly loop: number; readonly next: number }
  /** Registers a completed item. */
  | { readonly op: 'keep'; readonly next: number }
  /** The end of a round. */
  | { readonly op: 'round'; readonly next: number }
  | { readonly op: 'accept' };

/** A grammar as a pushdown machine. */
export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
  /** Start of each rule's body. */
  readonly entries: ReadonlyMap<Rule, number>;
  /** Ends of the parts in the order of writing: the steps before the first rule, then the steps of each rule. */
  readonly partEnds: readonly number[];
  /** Indexes of the steps inside free text, where nearly any character may follow; without the steps of languages. */
  readonly free: ReadonlySet<number>;
}

const maxSteps = 300_000;

/**
 * Assembles a program. Yields after each rule.
 * @param writesAll whether the model can generate every character unescaped; else strings may contain escapes instead
 */
export function programSteps(grammar: Expression, writesAll = true): Generator<void, Program> {
  return new ProgramWriter(grammar, writesAll).steps();
}

class ProgramWriter {
  readonly #grammar: Expression;
  readonly #writesAll: boolean;
  readonly #steps: Step[] = [];
  readonly #entries = new Map<Rule, number>();
  readonly #waiting: Rule[] = [];
  readonly #free = new Set<number>();
  readonly #readers = {
    plain: new Map<Language, LanguageReader>(),
    'json-string': new Map<Language, LanguageReader>(),
    'escaped-json-string': new Map<Language, LanguageReader>(),
  };
  readonly #isProductive: (part: Expression) => boolean;

  constructor(grammar: Expression, writesAll: boolean) {
    this.#grammar = grammar;
    this.#writesAll = writesAll;
    this.#isProductive = productiveExpressions(grammar);
  }

  *steps(): Generator<void, Program> {
    if (!this.#isProductive(this.#grammar))
      throw new RangeError('expected a schema that some finite document matches');
    const returned = this.#add({ op: 'return' });
    const start = this.#write(this.#grammar, this.#add({ op: 'accept' }));
    const partEnds = [this.#steps.length];
    for (let rule = this.#waiting.pop(); rule; rule = this.#waiting.pop()) {
      this.#entries.set(rule, this.#write(rule.body, returned));
      partEnds.push(this.#steps.length);
      yield;
    }
    return { steps: this.#steps, start, entries: this.#entries, partEnds, free: this.#free };
  }

  #add(step: Step): number {
    if (this.#steps.length >= maxSteps) throw new RangeError('grammar: expected fewer parts');
    return this.#steps.push(step) - 1;
  }

  /** Marks all steps from `from` on as free text. */
  #markFree(from: number): void {
    for (let place = from; place < this.#steps.length; place++) this.#free.add(place);
  }

  #split(next: readonly number[]): number {
    return next.length === 1 ? next[0]! : this.#add({ op: 'split', next, kinds: 0 });
  }

  /** Emits an expression's steps, which continue at `next`. */
  #write(expression: Expression, next: number): number {
    switch (expression.type) {
      case 'texts':
        return this.#writeTexts(expression.texts.map(utf8Bytes), next);
      case 'character':
        return this.#writeSequences(expression.ranges.flatMap(utf8Sequences), next);
      case 'sequence':
        return expression.items.reduceRight((place, item) => this.#write(item, place), next);
      case 'choice': {
        const items = expression.items.filter(this.#isProductive);
        return this.#split(items.map((item) => this.#write(item, next)));
      }
      case 'repeat': {
        const { item } = expression;
        return this.#isProductive(item) ? this.#writeRepeat(item, expression, next) : next;
      }
      case 'language': {
        const reader = this.#readerOf(expression);
        return this.#add({ op: 'begin', reader, next: this.#add({ op: 'read', reader, exit: next }) });
      }
      case 'mark':
        return this.#writeMark(expression.of, next);
      case 'distinct':
        return this.#writeDistinct(expression, next);
      case 'rule':
        return this.#writeCall(expression.rule, next);
      case 'free-text':
        return this.#writeSearch(expression, next);
    }
  }

  #writeDistinct(expression: Extract<Expression, { type: 'distinct' }>, next: number): number {
    const { item, separator, min, max } = expression;
    if (!this.#isProductive(item) || max === 0) return next;
    const step: Step = { op: 'loop', min, max, nullable: false, body: -1, exit: next, kinds: 0 };
    const loop = this.#add(step);
    const start = this.#write(item, this.#add({ op: 'round', next: loop }));
    step.body = this.#write(separator, start);
    const first = this.#add({ op: 'distinct', loop, next: start });
    return min === 0 ? this.#split([first, next]) : first;
  }

  #writeMark(of: LanguageText, next: number): number {
    const keep = this.#add({ op: 'keep', next });
    const isQuoted = of.writing !== 'plain';
    const reader = this.#readerOf(of);
    const exit = isQuoted ? this.#writeByte([0x22, 0x22], keep) : keep;
    const begin = this.#add({ op: 'begin', reader, next: this.#add({ op: 'read', reader, exit }) });
    return isQuoted ? this.#writeByte([0x22, 0x22], begin) : begin;
  }

  #readerOf({ language, store, writing }: LanguageText): LanguageReader {
    const create = () => new LanguageReader(language, store, writing, this.#writesAll);
    return getOrCreate(this.#readers[writing], language, create);
  }

  #writeCall(rule: Rule, next: number): number {
    if (!this.#entries.has(rule)) {
      this.#entries.set(rule, -1);
      this.#waiting.push(rule);
    }
    return this.#add({ op: 'call', rule, next });
  }

  /** Texts with the same prefix share its steps, so that a long list remains one path. */
  #writeTexts(texts: readonly (readonly number[])[], next: number, depth = 0): number {
    const shared = sharedLength(texts, depth);
    if (shared > depth) {
      const rest = this.#writeTexts(texts, next, shared);
      return texts[0]!
        .slice(depth, shared)
        .reduceRight((place, byte) => this.#writeByte([byte, byte], place), rest);
    }
    const byByte = new Map<number, (readonly number[])[]>();
    let mayEnd = false;
    for (const text of texts) {
      const byte = text[depth];
      if (byte === undefined) mayEnd = true;
      else getOrCreate(byByte, byte, () => []).push(text);
    }
    const branches = [...byByte].map(([byte, longer]) =>
      this.#writeByte([byte, byte], this.#writeTexts(longer, next, depth + 1)),
    );
    return this.#split(mayEnd ? [...branches, next] : branches);
  }

  #writeSequences(sequences: readonly (readonly ByteRange[])[], next: number): number {
    const branches = sequences.map((ranges) =>
      ranges.reduceRight((place, range) => this.#writeByte(range, place), next),
    );
    return this.#split(branches);
  }

  #writeByte([low, high]: ByteRange, next: number): number {
    return this.#add({ op: 'byte', low, high, next });
  }

  #writeRepeat(item: Expression, { min, max }: Bounds, next: number): number {
    if (min === 0 && max === 1) return this.#split([this.#write(item, next), next]);
    const kinds = kindsWithin(item);
    if (min === 0 && max === Infinity) {
      const loop: Step = { op: 'split', next: [], kinds };
      const place = this.#add(loop);
      loop.next = [this.#write(item, place), next];
      if (kinds === allKinds) this.#markFree(place);
      return place;
    }
    const nullable = isNullable(item);
    const loop: Step = { op: 'loop', min: nullable ? 0 : min, max, nullable, body: -1, exit: next, kinds };
    const place = this.#add(loop);
    loop.body = this.#write(item, this.#add({ op: 'round', next: place }));
    if (kinds === allKinds) this.#markFree(place);
    return this.#add({ op: 'count', next: place });
  }

  /** Free text as an Aho-Corasick automaton: each state is the length of a marker's matched prefix. */
  #writeSearch(
    { markers: texts, isClosed, after }: Extract<Expression, { type: 'free-text' }>,
    next: number,
  ): number {
    const from = this.#steps.length;
    const markers = texts.map((marker) => String.fromCharCode(...utf8Bytes(marker)));
    const beginnings = new Set([
      '',
      ...markers.flatMap((marker) => Array.from(marker, (_, end) => marker.slice(0, end))),
    ]);
    const states = new Map(
      [...beginnings].map((written) => [written, this.#add({ op: 'split', next: [], kinds: 0 })]),
    );
    const targetOf = (text: string): number | undefined => {
      if (markers.some((marker) => text.endsWith(marker))) return isClosed ? next : undefined;
      let start = 0;
      while (!states.has(text.slice(start))) start++;
      return states.get(text.slice(start));
    };
    for (const [written, place] of states) {
      const ranges: { low: number; high: number; target: number | undefined }[] = [];
      for (let byte = 0; byte < 256; byte++) {
        const target = targetOf(written + String.fromCharCode(byte));
        const last = ranges.at(-1);
        if (last && last.target === target) last.high = byte;
        else ranges.push({ low: byte, high: byte, target });
      }
      const reading = ranges.filter(({ target }) => target !== undefined);
      const ways = reading.map(({ low, high, target }) => this.#writeByte([low, high], target!));
      (this.#steps[place] as Extract<Step, { op: 'split' }>).next = isClosed ? ways : [...ways, next];
    }
    this.#markFree(from);
    return targetOf(after)!;
  }
}

/** The kinds of characters of which every character matches the expression. */
function kindsWithin(expression: Expression): number {
  if (expression.type === 'choice')
    return expression.items.reduce((kinds, item) => kinds | kindsWithin(item), 0);
  return expression.type === 'character' ? kindsOf(expression.ranges) : 0;
}
