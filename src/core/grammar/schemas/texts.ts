import { getOrCreate } from '../../get-or-create.ts';
import { allCharacters, LanguageStore, LanguageTooHard, type Language } from '../languages/language.ts';
import { includesText } from '../languages/live.ts';
import { probe } from '../languages/reader.ts';
import { patternLanguage } from '../languages/pattern-language.ts';
import { parsePattern } from '../languages/regular-expression.ts';
import type { SchemaBudget } from './size.ts';
import { quoted, schemaFault } from './keywords.ts';
import { patternOfFormat } from './string-format.ts';

/** Maximum steps to create a language or to read a text with it. */
const maxWork = 40_000;

/** The languages of a schema's patterns and formats, each created once. */
export class TextLanguages {
  readonly store = new LanguageStore();
  readonly #budget: SchemaBudget;
  readonly #patterns = new Map<string, Language>();

  constructor(budget: SchemaBudget) {
    this.#budget = budget;
  }

  pattern(pattern: unknown, path: string): Language {
    if (typeof pattern !== 'string') throw schemaFault(path, 'expected a string');
    return getOrCreate(this.#patterns, pattern, () =>
      this.guarded(path, () => patternLanguage(parsePattern(pattern), this.store)),
    );
  }

  /** `undefined` for unknown formats, which are ignored. */
  format(format: unknown, path: string): Language | undefined {
    if (typeof format !== 'string') throw schemaFault(path, `expected a string, got ${quoted(format)}`);
    const pattern = patternOfFormat(format);
    return pattern === undefined ? undefined : this.pattern(pattern, path);
  }

  lengths(min: number, max: number): Language {
    return this.store.repetition(this.store.characters(allCharacters), { min, max });
  }

  includes(language: Language, text: string, path: string): boolean {
    return this.guarded(path, () => includesText(language, text, this.store));
  }

  /** The language, checked to be cheap to follow; `never` if it contains no text. */
  live(language: Language, path: string): Language {
    return this.guarded(path, () => {
      const steps = Math.max(0, Math.min(maxWork, this.#budget.textSteps));
      return probe(language, this.store, steps) ? language : this.store.never;
    });
  }

  /** The intersection of these languages, checked like `live`. */
  shared(path: string, ...languages: readonly Language[]): Language {
    return this.live(
      this.guarded(path, () => this.store.intersection(...languages)),
      path,
    );
  }

  /** Exactly these texts; there may be thousands, since the cost is proportional to their length. */
  listed(texts: readonly string[], path: string): Language {
    const all = (): Language => this.store.union(...texts.map((text) => this.store.text(text)));
    return this.guarded(path, all, this.#budget.textSteps);
  }

  /** Converts errors about cost or support to errors with the schema path. */
  guarded<Result>(path: string, run: () => Result, most = maxWork): Result {
    this.store.allow(Math.max(0, Math.min(most, this.#budget.textSteps)));
    const before = this.store.work;
    try {
      return run();
    } catch (error) {
      if (error instanceof LanguageTooHard) throw schemaFault(path, 'expected a simpler pattern');
      if (error instanceof RangeError) throw schemaFault(path, error.message);
      throw error;
    } finally {
      this.#budget.textSteps -= this.store.work - before;
      this.store.allow(Infinity);
    }
  }
}
