import { writeExact } from '../../core/text/exact-json.ts';
import { answerGrammarSteps, type AnswerConstraint } from '../../core/grammar/constraint.ts';
import {
  compileSteps as compileGrammarSteps,
  type CompiledGrammar,
} from '../../core/grammar/engine/matcher.ts';
import { createVocabulary, type Vocabulary } from '../../core/grammar/engine/vocabulary.ts';
import { runSteps } from '../../core/run-steps.ts';
import type { TextTokenizer } from '../../contracts/text-model.ts';

/** Maximum cached grammars: a service uses a few schemas repeatedly. */
const maxGrammars = 64;

/**
 * An LRU cache of compiled grammars within a memory budget. Grammars grow with use, so their size is measured on each
 * call. A grammar larger than half of the budget isn't cached.
 */
function createGrammarCache(maxBytes: number) {
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
    bytes,
    get(key: string): CompiledGrammar | undefined {
      const grammar = grammars.get(key);
      tidy();
      // Moves it to the end: the first entry is the least recently used.
      if (grammar && grammars.delete(key)) grammars.set(key, grammar);
      return grammar;
    },
    /** Caches a grammar, unless the key already has one. */
    keep(key: string, grammar: CompiledGrammar): CompiledGrammar {
      const known = grammars.get(key);
      if (known) return known;
      grammars.set(key, grammar);
      tidy();
      return grammar;
    },
  };
}

export interface GrammarEngineOptions {
  /** Logits per step, which masks cover. */
  readonly vocabularySize: number;
  /** Tokens that end an answer; allowed only where the answer may end. */
  readonly endTokens: ReadonlySet<number>;
  /** Special tokens that are still part of answers, such as markers of tool calls and reasoning. */
  readonly markers?: readonly string[] | undefined;
  /** Approximate maximum memory of all compiled constraints; default 16 MiB. Evicted ones are compiled again. */
  readonly maxBytes?: number | undefined;
}

/** Constrains the answers of one model. */
export type GrammarEngine = ReturnType<typeof createGrammarEngine>;

const defaultMaxBytes = 16 * 2 ** 20;

/**
 * Creates an engine for a model. It costs nothing until the first constraint, which takes about half a second to index
 * a vocabulary of 150,000 tokens.
 */
export function createGrammarEngine(tokenizer: TextTokenizer, options: GrammarEngineOptions) {
  const grammars = createGrammarCache(options.maxBytes ?? defaultMaxBytes);
  let vocabulary: Vocabulary | undefined;

  function* compileSteps(constraint: AnswerConstraint): Generator<void, CompiledGrammar | undefined> {
    const key = keyOf(constraint);
    const known = grammars.get(key);
    if (known) return known;
    const expression = yield* answerGrammarSteps(constraint);
    if (!expression) return undefined;
    vocabulary ??= readVocabulary(tokenizer, options);
    const grammar = yield* compileGrammarSteps(expression, vocabulary);
    return grammars.keep(key, grammar);
  }

  return {
    /** Compiles a constraint. Equal constraints are compiled once, and sequences share its caches. */
    compile: (constraint: AnswerConstraint) => runSteps(compileSteps(constraint)),
    /** Like `compile`, but yields after each part of bounded cost, so that concurrent requests get their turn. */
    compileSteps,
    /** Approximate memory of the cached constraints. */
    get bytes() {
      return grammars.bytes();
    },
  };
}

function readVocabulary(
  tokenizer: TextTokenizer,
  { vocabularySize, endTokens, markers = [] }: GrammarEngineOptions,
): Vocabulary {
  const known = Math.min(vocabularySize, tokenizer.vocabularySize);
  const written = new Set(markers.map((marker) => tokenizer.tokenToId(marker)));
  return createVocabulary({
    size: vocabularySize,
    endTokens,
    bytesOf(token) {
      const isText = token < known && (!tokenizer.isSpecial(token) || written.has(token));
      return isText ? tokenizer.bytesOf(token) : new Uint8Array();
    },
  });
}

/** Formats are functions, so the key contains sample calls written by them. */
function keyOf({ response, calls, reasoning, opensObjects }: AnswerConstraint): string {
  const frames = calls && {
    ...calls.format,
    choice: calls.choice,
    parallel: calls.parallel,
    tools: calls.tools.map((tool) => ({ ...tool, frame: calls.format.call(tool.name) })),
  };
  return writeExact([response, frames, reasoning, opensObjects]);
}
