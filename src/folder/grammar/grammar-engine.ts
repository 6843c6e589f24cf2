import { writeExact } from '../../core/text/exact-json.ts';
import { answerGrammarSteps, type AnswerConstraint } from '../../core/grammar/constraint.ts';
import {
  compileSteps as compileGrammarSteps,
  type CompiledGrammar,
} from '../../core/grammar/engine/matcher.ts';
import { createVocabulary, type Vocabulary } from '../../core/grammar/engine/vocabulary.ts';
import { runSteps } from '../../core/run-steps.ts';
import type { TextTokenizer } from '../../contracts/text-model.ts';

/** Grammars kept at most: a service asks for a few schemas again and again. */
const maxGrammars = 64;

/**
 * Prepared grammars, the latest used ones kept as long as they fit into a budget in bytes. Grammars grow while they are used, so
 * each call counts anew. One that takes more than half of the budget is not kept.
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
      // After the others: the first one is the one that has waited longest.
      if (grammar && grammars.delete(key)) grammars.set(key, grammar);
      return grammar;
    },
    /** Keeps a grammar, unless another one has been kept under the key meanwhile. */
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
  /** Logits per step: what masks cover. */
  readonly vocabularySize: number;
  /** Tokens with which the model ends an answer; allowed only where the answer may end. */
  readonly endTokens: ReadonlySet<number>;
  /** Special tokens that are part of answers all the same, such as the markers of tool calls and of reasoning. */
  readonly markers?: readonly string[] | undefined;
  /** Memory that prepared constraints may take together, about; 16 MiB if left out. Others are prepared anew. */
  readonly maxBytes?: number | undefined;
}

/** Constrains the answers of one model. */
export type GrammarEngine = ReturnType<typeof createGrammarEngine>;

const defaultMaxBytes = 16 * 2 ** 20;

/**
 * Makes an engine for a model. It costs nothing until the first constraint, which waits about half a second for a vocabulary of
 * 150,000 tokens to be indexed.
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
    /** Prepares a constraint. The same constraint is prepared once, and what one sequence finds out serves the others. */
    compile: (constraint: AnswerConstraint) => runSteps(compileSteps(constraint)),
    /** The same in slices: yields after each part of bounded cost, so that others get their turn. */
    compileSteps,
    /** About how much memory the kept constraints take. */
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

/** Formats are functions, so the calls that they write stand for them. */
function keyOf({ response, calls, reasoning, opensObjects }: AnswerConstraint): string {
  const frames = calls && {
    ...calls.format,
    choice: calls.choice,
    parallel: calls.parallel,
    tools: calls.tools.map((tool) => ({ ...tool, frame: calls.format.call(tool.name) })),
  };
  return writeExact([response, frames, reasoning, opensObjects]);
}
