import type { CompiledGrammar } from '../../core/grammar/engine/matcher.ts';

/** Prepared grammars, the latest used ones kept as long as they fit. */
export interface GrammarCache {
  get(key: string): CompiledGrammar | undefined;
  /** Keeps a grammar, unless another one has been kept under the key meanwhile. */
  keep(key: string, grammar: CompiledGrammar): CompiledGrammar;
  readonly bytes: number;
}

/** Grammars kept at most: a service asks for a few schemas again and again. */
const maxGrammars = 64;

/**
 * Makes a cache with a budget in bytes. Grammars grow while they are used, so each call counts anew. One that takes more than
 * half of the budget is not kept.
 */
export function createGrammarCache(maxBytes: number): GrammarCache {
  const grammars = new Map<string, CompiledGrammar>();
  const bytes = (): number => [...grammars.values()].reduce((sum, grammar) => sum + grammar.bytes, 0);
  const tidy = (): void => {
    for (const [key, grammar] of grammars) if (grammar.bytes > maxBytes / 2) grammars.delete(key);
    for (let rest = bytes(); rest > maxBytes || grammars.size > maxGrammars;) {
      const [oldest, grammar] = grammars.entries().next().value!;
      grammars.delete(oldest);
      rest -= grammar.bytes;
    }
  };
  return {
    get(key) {
      const grammar = grammars.get(key);
      tidy();
      if (!grammar) return undefined;
      // After the others: the first one is the one that has waited longest.
      if (grammars.delete(key)) grammars.set(key, grammar);
      return grammar;
    },
    keep(key, grammar) {
      const known = grammars.get(key);
      if (known) return known;
      grammars.set(key, grammar);
      tidy();
      return grammar;
    },
    get bytes() {
      return bytes();
    },
  };
}
