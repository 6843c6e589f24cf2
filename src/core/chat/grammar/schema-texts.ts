import { allCharacters, LanguageStore, LanguageTooHard, type Language } from './language.ts';
import { includesText } from './language-live.ts';
import { probe } from './language-reader.ts';
import { patternLanguage } from './pattern-language.ts';
import { parsePattern } from './regular-expression.ts';
import { quoted, schemaFault } from './schema-keywords.ts';
import { patternOfFormat } from './string-format.ts';

/** The languages that the patterns and formats of one schema describe, each made once. */
export class TextLanguages {
  readonly store = new LanguageStore();
  readonly #patterns = new Map<string, Language>();

  pattern(pattern: unknown, path: string): Language {
    if (typeof pattern !== 'string') throw schemaFault(path, 'expected a string');
    let language = this.#patterns.get(pattern);
    if (!language) {
      language = this.guarded(path, () => patternLanguage(parsePattern(pattern), this.store));
      this.#patterns.set(pattern, language);
    }
    return language;
  }

  /** `undefined` for formats that are not known, which say nothing. */
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

  /** The language, checked to be cheap enough to follow; none of its texts may be reachable. */
  live(language: Language, path: string): Language {
    return this.guarded(path, () => (probe(language, this.store, maxWork) ? language : this.store.never));
  }

  /** Makes faults of what costs too much or can't be honoured name their place. */
  guarded<Result>(path: string, run: () => Result): Result {
    this.store.allow(maxWork);
    try {
      return run();
    } catch (error) {
      if (error instanceof LanguageTooHard) throw schemaFault(path, 'expected a simpler pattern');
      if (error instanceof RangeError) throw schemaFault(path, error.message);
      throw error;
    }
  }
}

/** Steps to make one language, or to read one text by it. */
const maxWork = 300_000;
