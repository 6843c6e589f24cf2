import { getOrCreate } from '../../get-or-create.ts';
import { intersection, union, type CodePointSet } from './code-points.ts';

/** Up to `characters` characters that certainly may follow, of any of these kinds: bits of `allKinds`. */
export interface Run {
  readonly kinds: number;
  readonly characters: number;
}

/** Transition by one character: texts continue with the texts of `target`. */
export interface Transition {
  readonly from: number;
  readonly to: number;
  readonly target: Language;
}

/** The fields of all languages; mutable fields are computed on demand. */
interface Known {
  readonly id: number;
  /** Equal languages of one store have equal keys. */
  readonly key: string;
  /** Whether it contains the empty text. */
  readonly nullable: boolean;
  /** Whether it has intersections or complements, and so may be empty in a non-obvious way. */
  readonly isConditional: boolean;
  transitions: readonly Transition[] | undefined;
  liveTransitions: readonly Transition[] | undefined;
  isLive: boolean | undefined;
  run: Run | undefined;
}

/** A regular set of texts. Within one `LanguageStore`, languages of the same structure are the same object. */
export type Language = Known &
  (
    | { readonly kind: 'characters'; readonly set: CodePointSet }
    | { readonly kind: 'empty' }
    | { readonly kind: 'concatenation'; readonly first: Language; readonly rest: Language }
    | { readonly kind: 'union'; readonly items: readonly Language[] }
    | { readonly kind: 'intersection'; readonly items: readonly Language[] }
    | { readonly kind: 'complement'; readonly item: Language }
    | { readonly kind: 'repetition'; readonly item: Language; readonly min: number; readonly max: number }
    | { readonly kind: 'multiple'; readonly number: DecimalMultiple }
  );

type Shape = Language extends infer One ? (One extends Known ? Omit<One, keyof Known> : never) : never;
type Traits = Pick<Known, 'nullable' | 'isConditional'>;

/** The state after reading digits of a number that must be a multiple of `step` / 10^`decimals`. */
export interface DecimalMultiple {
  readonly step: number;
  readonly decimals: number;
  /** Digits after the point; −1 before it. */
  readonly fraction: number;
  readonly remainder: number;
}

/** All characters; surrogates aren't characters. */
export const allCharacters: CodePointSet = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

const bytesOfLanguage = 300;

const maxDepth = 600;

/** Thrown if a language exceeds the allowed steps. */
export class LanguageTooHard extends RangeError {}

/**
 * Interns languages, so that results are computed once per language and the derivatives of a language are finite. J. A.
 * Brzozowski, Derivatives of Regular Expressions, 1964.
 */
export class LanguageStore {
  #known = new Map<string, Language>();
  #ids = 0;
  #depth = 0;
  work = 0;
  /** Approximate memory of all languages, in bytes. */
  bytes = 0;
  /** Maximum value of `work`. */
  limit = Infinity;
  readonly never: Language;
  readonly empty: Language;
  /** All texts. */
  readonly all: Language;

  constructor() {
    this.never = this.characters([]);
    this.empty = this.#make({ kind: 'empty' }, '', { nullable: true, isConditional: false });
    this.all = this.repetition(this.characters(allCharacters), { min: 0, max: Infinity });
  }

  /**
   * Drops all languages and their results; languages held elsewhere remain valid, but new languages of the same
   * structure are different objects.
   */
  clear(): void {
    for (const language of this.#known.values()) {
      language.transitions = undefined;
      language.liveTransitions = undefined;
    }
    this.bytes = 0;
    this.#known = new Map();
    for (const language of [this.never, this.empty, this.all]) this.#known.set(language.key, language);
  }

  allow(steps: number): void {
    this.limit = this.work + steps;
    this.#depth = 0;
  }

  /** Runs a recursive function, with a limit on its depth. */
  nested<Result>(run: () => Result): Result {
    if (++this.#depth > maxDepth) throw new LanguageTooHard('expected something simpler');
    const result = run();
    this.#depth--;
    return result;
  }

  /** @throws LanguageTooHard beyond `limit` */
  spend(steps: number): void {
    this.work += steps;
    if (this.work > this.limit) throw new LanguageTooHard('expected something simpler');
  }

  characters(set: CodePointSet): Language {
    const isClean = set.every(([from, to]) => to < 0xd800 || (from > 0xdfff && to <= 0x10ffff));
    const own = isClean ? set : intersection(set, allCharacters);
    const traits = { nullable: false, isConditional: false };
    return this.#make({ kind: 'characters', set: own }, `[${own.join(';')}`, traits);
  }

  text(text: string): Language {
    return Array.from(text).reduceRight((rest, character) => {
      const codePoint = character.codePointAt(0)!;
      return this.concatenation(this.characters([[codePoint, codePoint]]), rest);
    }, this.empty);
  }

  sequence(...items: readonly Language[]): Language {
    return items.reduceRight((rest, item) => this.concatenation(item, rest), this.empty);
  }

  concatenation(first: Language, rest: Language): Language {
    if (first === this.never || rest === this.never) return this.never;
    if (first === this.empty) return rest;
    if (rest === this.empty) return first;
    if (rest === this.all && first === this.all) return this.all;
    if (first.kind === 'concatenation') {
      return this.concatenation(first.first, this.concatenation(first.rest, rest));
    }
    return this.#make({ kind: 'concatenation', first, rest }, `${first.id}.${rest.id}`, {
      nullable: first.nullable && rest.nullable,
      isConditional: first.isConditional || rest.isConditional,
    });
  }

  /** Texts with a common prefix share it, so that a long list becomes a tree. */
  union(...items: readonly Language[]): Language {
    const flat = this.#flat(items, 'union', this.never);
    if (flat.has(this.all)) return this.all;
    const sets: CodePointSet[] = [];
    const byFirst = new Map<Language, Language[]>();
    const others: Language[] = [];
    for (const item of flat) {
      if (item.kind === 'characters') sets.push(item.set);
      else if (item.kind === 'concatenation') getOrCreate(byFirst, item.first, () => []).push(item.rest);
      else others.push(item);
    }
    for (const [first, rests] of byFirst) {
      others.push(
        this.concatenation(first, rests.length === 1 ? rests[0]! : this.nested(() => this.union(...rests))),
      );
    }
    if (sets.length > 0)
      others.push(sets.length === 1 ? this.characters(sets[0]!) : this.characters(union(...sets)));
    if (others.length === 0) return this.never;
    if (others.length === 1) return others[0]!;
    return this.#make({ kind: 'union', items: others.sort((a, b) => a.id - b.id) }, `|${idsOf(others)}`, {
      nullable: others.some(({ nullable }) => nullable),
      isConditional: others.some(({ isConditional }) => isConditional),
    });
  }

  intersection(...items: readonly Language[]): Language {
    const flat = [...this.#flat(items, 'intersection', this.all)];
    if (flat.length === 0) return this.all;
    if (flat.length === 1) return flat[0]!;
    if (flat.includes(this.never)) return this.never;
    if (flat.includes(this.empty)) return flat.every(({ nullable }) => nullable) ? this.empty : this.never;
    const sets = flat.filter((item) => item.kind === 'characters');
    if (sets.length > 1) {
      const set = sets.reduce<CodePointSet>((shared, item) => intersection(shared, item.set), allCharacters);
      return this.intersection(this.characters(set), ...flat.filter((item) => item.kind !== 'characters'));
    }
    return this.#make({ kind: 'intersection', items: flat.sort((a, b) => a.id - b.id) }, `&${idsOf(flat)}`, {
      nullable: flat.every(({ nullable }) => nullable),
      isConditional: true,
    });
  }

  complement(item: Language): Language {
    if (item === this.never) return this.all;
    if (item === this.all) return this.never;
    if (item.kind === 'complement') return item.item;
    const traits = { nullable: !item.nullable, isConditional: true };
    return this.#make({ kind: 'complement', item }, `!${item.id}`, traits);
  }

  repetition(item: Language, { min, max }: { readonly min: number; readonly max: number }): Language {
    if (min > max) return this.never;
    if (max === 0 || item === this.empty) return this.empty;
    if (item === this.never) return min === 0 ? this.empty : this.never;
    if (min === 1 && max === 1) return item;
    if (item.kind === 'repetition' && item.min === 0 && item.max === Infinity) return item;
    const least = item.nullable ? 0 : min;
    return this.#make({ kind: 'repetition', item, min: least, max }, `*${item.id},${least},${max}`, {
      nullable: least === 0,
      isConditional: item.isConditional,
    });
  }

  multiple(number: DecimalMultiple): Language {
    const { step, decimals, fraction, remainder } = number;
    const nullable = (remainder * 10 ** (decimals - Math.max(0, fraction))) % step === 0;
    const key = `%${step},${decimals},${fraction},${remainder}`;
    return this.#make({ kind: 'multiple', number }, key, { nullable, isConditional: true });
  }

  #flat(items: readonly Language[], kind: 'union' | 'intersection', neutral: Language): Set<Language> {
    const flat = new Set<Language>();
    for (const item of items) {
      if (item.kind === kind) for (const inner of item.items) flat.add(inner);
      else if (item !== neutral) flat.add(item);
    }
    this.spend(flat.size);
    return flat;
  }

  #make(shape: Shape, key: string, traits: Traits): Language {
    this.spend(1 + (key.length >> 4));
    return getOrCreate(this.#known, key, () => {
      this.bytes += bytesOfLanguage + key.length;
      const open = { transitions: undefined, liveTransitions: undefined, isLive: undefined, run: undefined };
      return { ...shape, ...traits, id: ++this.#ids, key, ...open } as Language;
    });
  }
}

function idsOf(items: readonly Language[]): string {
  return items.map(({ id }) => id).join();
}
