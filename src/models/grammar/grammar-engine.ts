import { answerGrammar, type AnswerConstraint } from '../../core/chat/grammar/constraint.ts';
import { compileGrammar, type CompiledGrammar } from '../../core/chat/grammar/matcher.ts';
import { createVocabulary, type Vocabulary } from '../../core/chat/grammar/vocabulary.ts';
import type { TextTokenizer } from '../tokenizer.ts';

export interface GrammarEngineOptions {
  /** Logits per step: what masks cover. */
  readonly vocabularySize: number;
  /** Tokens with which the model ends an answer; allowed only where the answer may end. */
  readonly endTokens: ReadonlySet<number>;
  /** Special tokens that are part of answers all the same, such as the markers of tool calls and of reasoning. */
  readonly markers?: readonly string[] | undefined;
}

/** Constrains the answers of one model. */
export interface GrammarEngine {
  /**
   * Prepares a constraint. The same constraint is prepared once, and what one sequence finds out serves the others.
   *
   * @returns `undefined` where the constraint allows every text
   * @throws RangeError naming the keyword of a schema that can't be honoured
   */
  compile(constraint: AnswerConstraint): CompiledGrammar | undefined;
}

/** Constraints kept: a service asks for a few schemas again and again. */
const maxGrammars = 16;

/**
 * Makes an engine for a model. It costs nothing until the first constraint, which waits about half a second for a
 * vocabulary of 150,000 tokens to be indexed.
 *
 * @example
 * ```ts
 * const engine = createGrammarEngine(tokenizer, { vocabularySize, endTokens });
 * const matcher = engine.compile({ response: { type: 'json-object' } })!.createMatcher();
 * ```
 */
export function createGrammarEngine(tokenizer: TextTokenizer, options: GrammarEngineOptions): GrammarEngine {
  const grammars = new Map<string, CompiledGrammar>();
  let vocabulary: Vocabulary | undefined;

  return {
    compile(constraint) {
      const key = keyOf(constraint);
      let grammar = grammars.get(key);
      if (grammar) {
        grammars.delete(key);
      } else {
        const expression = answerGrammar(constraint);
        if (!expression) return undefined;
        vocabulary ??= readVocabulary(tokenizer, options);
        grammar = compileGrammar(expression, vocabulary);
      }
      grammars.set(key, grammar);
      if (grammars.size > maxGrammars) grammars.delete(grammars.keys().next().value!);
      return grammar;
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
function keyOf({ response, calls, reasoning }: AnswerConstraint): string {
  const frames = calls && {
    ...calls.format,
    choice: calls.choice,
    parallel: calls.parallel,
    tools: calls.tools.map((tool) => ({ ...tool, frame: calls.format.call(tool.name) })),
  };
  return JSON.stringify([response, frames, reasoning]);
}
