import { getOrCreate } from '../../../../core/get-or-create.ts';
import type { LargestLogits } from '../../../../core/sampling/largest-logits.ts';
import {
  createAnswerParser,
  type AnswerEvent,
  type AnswerParser,
} from '../../../../core/chat/answer-parser.ts';
import type { CompiledGrammar, GrammarMatcher } from '../../../../core/grammar/engine/matcher.ts';
import type { ReasoningSplitter } from '../../../../core/chat/reasoning.ts';
import type { ToolCallParser } from '../../../../core/chat/tool-calls/parser.ts';
import { openSampler, type Sampler } from '../../../../core/sampling/sampler.ts';
import { createDetokenizer, type Detokenizer } from '../../../../core/text/detokenizer.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import type { ChatEvent, TokenLogprobs } from '../../events.ts';
import type { ChatRequest } from '../../request.ts';
import { readTokenLogprobs } from './token-logprobs.ts';
import type { TokenRules } from './token-rules.ts';
import { type DryBreakers, createBreakerFinder } from '../../../../core/sampling/dry-breakers.ts';

function memoizeByTokenizer<Made extends {}>(make: (tokenizer: TextTokenizer) => Made) {
  const made = new WeakMap<TextTokenizer, Made>();
  return (tokenizer: TextTokenizer) => getOrCreate(made, tokenizer, make);
}

/** The latest search is cached, since most requests use the default. */
const breakerFinderOf = memoizeByTokenizer((tokenizer) => {
  const find = createBreakerFinder({
    size: tokenizer.vocabularySize,
    textOf: (token) => utf8.decode(tokenizer.bytesOf(token)),
    encode: (text) => tokenizer.encode(text),
  });
  let latest = '';
  let found: DryBreakers = new Map();
  return (breakers: readonly string[]): DryBreakers => {
    const texts = JSON.stringify(breakers);
    if (texts !== latest) [latest, found] = [texts, find(breakers)];
    return found;
  };
});

const utf8 = new TextDecoder();

/** Choices of one prompt differ only by seed. */
export interface ChoiceContext {
  readonly request: ChatRequest;
  readonly prompt: Int32Array;
  readonly seed: number;
  readonly tokenizer: TextTokenizer;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly endTokens: ReadonlySet<number>;
  /** Special tokens that the parsers need to see as text. */
  readonly markerTokens: ReadonlySet<number | undefined>;
  /** `undefined` if the whole output is answer. */
  readonly createReasoningSplitter?: (() => ReasoningSplitter) | undefined;
  /** `undefined` if the answer may not call tools. */
  readonly createToolCallParser?: (() => ToolCallParser) | undefined;
  /** `undefined` if the answer is unconstrained. */
  readonly grammar: CompiledGrammar | undefined;
  /** `undefined` if all tokens are allowed. */
  readonly rules?: TokenRules | undefined;
  readonly emit: (event: ChatEvent) => void;
  readonly createToolCallId: () => string;
}

export class Choice {
  reasoningTokens = 0;
  tokens = 0;
  readonly #index: number;
  readonly #context: ChoiceContext;
  readonly #request: ChatRequest;
  readonly #prompt: Int32Array;
  readonly #contextLength: number;
  readonly #tokenizer: TextTokenizer;
  readonly #rules: TokenRules | undefined;
  readonly #emit: (event: ChatEvent) => void;
  readonly #sampler: Sampler;
  readonly #detokenizer: Detokenizer;
  readonly #matcher: GrammarMatcher | undefined;
  readonly #answer: AnswerParser;
  /** They must not reveal text that a stop sequence or hidden thinking hides. */
  #heldLogprobs: { readonly logprobs: TokenLogprobs; textLength: number }[] = [];
  /** Tokens that complete a constrained answer at its limit, once they replace sampled tokens. */
  #ending: number[] | undefined;
  readonly #sampled: number[] = [];
  #reportedTokens = 0;

  constructor(index: number, context: ChoiceContext) {
    this.#index = index;
    this.#context = context;
    const { request, prompt, seed, contextLength, vocabularySize, tokenizer, rules, grammar, emit } = context;
    this.#request = request;
    this.#prompt = prompt;
    this.#contextLength = contextLength;
    this.#tokenizer = tokenizer;
    this.#rules = rules;
    this.#emit = emit;
    const { dryMultiplier, drySequenceBreakers } = request;
    const dryBreakers = dryMultiplier === 0 ? undefined : breakerFinderOf(tokenizer)(drySequenceBreakers);
    const isWord = wordTestOf(tokenizer);
    this.#sampler = openSampler({ ...request, dryBreakers }, { vocabularySize, seed, isWord });
    const counted = request.penalizePrompt ? prompt.subarray(-this.#sampler.memory) : [];
    for (const token of counted) this.#sampler.accept(token);
    this.#detokenizer = createDetokenizer(tokenizer.decode);
    this.#matcher = grammar?.createMatcher();
    this.#answer = createAnswerParser({
      stop: request.stop,
      includeStop: request.includeStopStrInOutput,
      reasoningSplitter: context.createReasoningSplitter?.(),
      toolCallParser: context.createToolCallParser?.(),
      createToolCallId: context.createToolCallId,
      isCallsAlone: grammar !== undefined && !['auto', 'none'].includes(request.toolChoice as string),
    });
  }

  get remaining(): number {
    return Math.min(this.#request.maxTokens, this.#contextLength - this.#prompt.length) - this.tokens;
  }

  /** False with a mask, which may allow only unlikely tokens, and with log probabilities, which need all logits. */
  get takesLargest(): boolean {
    return !this.#sampler.needsAllLogits && !this.#matcher && !this.#rules && !this.#request.logprobs;
  }

  nextOfLargest(largest: LargestLogits): number | undefined {
    const token = this.#sampler.sampleLargest(largest);
    return token === -1 ? -1 : this.#take(token);
  }

  next(logits: Float32Array): number | undefined {
    const token = this.#ending?.shift() ?? this.#choose(logits);
    return token === undefined ? this.#end({ cutOff: false }) : this.#take(token, logits);
  }

  /** @returns `undefined` if the rules allow no token */
  #choose(logits: Float32Array): number | undefined {
    const mask = this.#rules ? this.#rules.mask(this.#sampled, this.#matcher?.mask()) : this.#matcher?.mask();
    if (this.#rules && !mask) return undefined;
    const token = this.#sampler.sample(logits, mask, this.#matcher?.isFree);
    // Reserve tokens to complete the answer after thinking.
    if (!this.#matcher || this.#answer.isReasoning || this.#matcher.endsWithin(this.remaining - 1, token))
      return token;
    const last = this.#matcher.ending();
    if (!last || last.length === 0 || last.length > this.remaining) return token;
    this.#ending = last;
    return last.shift()!;
  }

  #take(token: number, logits?: Float32Array): number | undefined {
    if (this.#context.endTokens.has(token) || this.#request.stopTokenIds.includes(token)) {
      if (this.#request.includeStopStrInOutput && !this.#tokenizer.isSpecial(token))
        this.#read(this.#detokenizer.push(token));
      // Evaluation harnesses treat the last token of a completion as the generated token.
      if (this.#request.prompts.length > 0) this.#holdLogprobs(token, logits);
      return this.#end({ cutOff: false });
    }
    this.#sampler.accept(token);
    this.#matcher?.accept(token);
    if (this.#rules) this.#sampled.push(token);
    this.tokens++;
    if (this.#answer.isReasoning) this.reasoningTokens++;
    this.#holdLogprobs(token, logits);
    const isVisible = !this.#tokenizer.isSpecial(token) || this.#context.markerTokens.has(token);
    if (isVisible) this.#read(this.#detokenizer.push(token));
    if (this.#answer.stopped !== null || this.#ending?.length === 0) return this.#end({ cutOff: false });
    return this.remaining > 0 ? token : this.#end({ cutOff: true });
  }

  #holdLogprobs(token: number, logits: Float32Array | undefined): void {
    if (!logits || !this.#request.logprobs || this.#isHidden()) return;
    const logprobs = readTokenLogprobs(logits, token, this.#request.topLogprobs, this.#tokenizer);
    this.#heldLogprobs.push({ logprobs, textLength: 0 });
  }

  #read(text: string): void {
    const last = this.#heldLogprobs.at(-1);
    if (last) last.textLength += text.length;
    const events = text === '' ? [] : this.#answer.push(text);
    // The tokens so far belong to the marker that began the thinking.
    if (this.#isHidden()) this.#heldLogprobs = [];
    if (events.length > 0) this.#emitLogprobs();
    this.#emitAll(events);
  }

  #isHidden(): boolean {
    return !this.#request.includeReasoning && this.#answer.isReasoning;
  }

  #end({ cutOff }: { cutOff: boolean }): undefined {
    if (this.#answer.stopped === null) this.#read(this.#detokenizer.flush());
    const { events, finishReason: own } = this.#answer.end({ cutOff });
    this.#emitLogprobs();
    this.#emitAll(events);
    const { stopped } = this.#answer;
    const finishReason = this.#ending ? 'length' : own;
    const stop = finishReason === 'stop' && stopped !== null ? { stopSequence: stopped } : {};
    this.#emit({ type: 'choice-end', choice: this.#index, finishReason, ...stop });
  }

  #emitAll(events: readonly AnswerEvent[]): void {
    for (const event of events) {
      if (event.type === 'tool-call-start') {
        this.#emit({ ...event, choice: this.#index });
        continue;
      }
      const isHidden = event.type === 'reasoning-delta' && !this.#request.includeReasoning;
      const tokens = this.tokens - this.#reportedTokens;
      this.#reportedTokens = this.tokens;
      const shown = isHidden ? ({ type: 'hidden-tokens' } as const) : event;
      this.#emit({ ...shown, choice: this.#index, tokens });
    }
  }

  /** Only of tokens that are partly delivered or have no text. */
  #emitLogprobs(): void {
    let count = this.#heldLogprobs.length;
    if (count === 0) return;
    let { withheld } = this.#answer;
    if (withheld > 0) {
      for (; count > 0 && this.#heldLogprobs[count - 1]!.textLength <= withheld; count--)
        withheld -= this.#heldLogprobs[count - 1]!.textLength;
    }
    const tokens = this.#heldLogprobs.splice(0, count).map(({ logprobs }) => logprobs);
    if (tokens.length > 0) this.#emit({ type: 'logprobs', choice: this.#index, tokens });
  }
}

/** Has a letter, a digit or a non-ASCII byte. */
const wordTestOf = memoizeByTokenizer((tokenizer) => {
  const known = new Map<number, boolean>();
  // Called for every penalized token of every step: must not allocate for cached tokens.
  const test = (token: number): boolean => tokenizer.bytesOf(token).some(isOfWord);
  return (token: number): boolean => getOrCreate(known, token, test);
});

function isOfWord(byte: number): boolean {
  const letter = byte | 0x20;
  return byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
