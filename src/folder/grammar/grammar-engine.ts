import { answerGrammarSteps, type AnswerConstraint } from '../../core/grammar/constraint.ts';
import {
  compileSteps as compileGrammarSteps,
  type CompiledGrammar,
} from '../../core/grammar/engine/matcher.ts';
import { runSteps } from '../../core/grammar/run-steps.ts';
import { createVocabulary, type Vocabulary } from '../../core/grammar/engine/vocabulary.ts';
import type { TextTokenizer } from '../tokenizer.ts';
import { createGrammarCache } from './grammar-cache.ts';

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
export interface GrammarEngine {
  /** Prepares a constraint. The same constraint is prepared once, and what one sequence finds out serves the others. */
  compile(constraint: AnswerConstraint): CompiledGrammar | undefined;
  /** The same in slices: yields after each part of bounded cost, so that others get their turn. */
  compileSteps(constraint: AnswerConstraint): Generator<void, CompiledGrammar | undefined>;
  /** The same in slices of some milliseconds, between which the event loop turns. */
  compileInSlices(
    constraint: AnswerConstraint,
    options?: { readonly signal?: AbortSignal | undefined; readonly sliceMilliseconds?: number },
  ): Promise<CompiledGrammar | undefined>;
  /** About how much memory the kept constraints take. */
  readonly bytes: number;
}

const defaultMaxBytes = 16 * 2 ** 20;
const defaultSliceMilliseconds = 10;

/**
 * Makes an engine for a model. It costs nothing until the first constraint, which waits about half a second for a vocabulary of
 * 150,000 tokens to be indexed.
 */
export function createGrammarEngine(tokenizer: TextTokenizer, options: GrammarEngineOptions): GrammarEngine {
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
    compile: (constraint) => runSteps(compileSteps(constraint)),
    compileSteps,
    async compileInSlices(constraint, { signal, sliceMilliseconds = defaultSliceMilliseconds } = {}) {
      const steps = compileSteps(constraint);
      for (let end = performance.now() + sliceMilliseconds; ;) {
        signal?.throwIfAborted();
        const step = steps.next();
        if (step.done) return step.value;
        if (performance.now() < end) continue;
        await new Promise((resolve) => setImmediate(resolve));
        end = performance.now() + sliceMilliseconds;
      }
    },
    get bytes() {
      return grammars.bytes;
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
  return JSON.stringify([response, frames, reasoning, opensObjects]);
}
