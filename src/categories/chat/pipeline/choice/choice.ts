import { getOrCreate } from '../../../../core/get-or-create.ts';
import type { LargestLogits } from '../../../../core/sampling/largest-logits.ts';
import { createAnswerParser, type AnswerEvent } from '../../../../core/chat/answer-parser.ts';
import type { CompiledGrammar } from '../../../../core/grammar/engine/matcher.ts';
import type { ReasoningSplitter } from '../../../../core/chat/reasoning.ts';
import type { ToolCallParser } from '../../../../core/chat/tool-calls/parser.ts';
import { createSampler, samplerParametersOf } from '../../../../core/sampling/sampler.ts';
import { createDetokenizer } from '../../../../core/text/detokenizer.ts';
import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import type { ChatEvent, TokenLogprobs } from '../../events.ts';
import type { ChatRequest } from '../../request.ts';
import { readTokenLogprobs } from './token-logprobs.ts';
import type { TokenRules } from './token-rules.ts';
import { type DryBreakers, createBreakerFinder } from '../../../../core/sampling/dry-breakers.ts';

/** Makes something of each tokenizer once. */
function oncePer<Made extends {}>(make: (tokenizer: TextTokenizer) => Made) {
  const made = new WeakMap<TextTokenizer, Made>();
  return (tokenizer: TextTokenizer) => getOrCreate(made, tokenizer, make);
}

/** Finds the sequences of tokens that DRY doesn't look across. The latest search is kept, since most requests say the same: nothing. */
const breakerFinderOf = oncePer((tokenizer) => {
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

/** The context of a choice; those of one prompt differ in the seed alone. */
export interface ChoiceContext {
  readonly request: ChatRequest;
  readonly prompt: Int32Array;
  readonly seed: number;
  readonly tokenizer: TextTokenizer;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly endTokens: ReadonlySet<number>;
  /** Special tokens whose text the parsers need to see. */
  readonly markerTokens: ReadonlySet<number>;
  /** `undefined` where everything is answer. */
  readonly createReasoningSplitter?: (() => ReasoningSplitter) | undefined;
  /** `undefined` where the answer may not call tools. */
  readonly createToolCallParser?: (() => ToolCallParser) | undefined;
  /** Grammar of the answer; `undefined` where it is free. */
  readonly grammar: CompiledGrammar | undefined;
  /** `undefined` where all tokens may come. */
  readonly rules?: TokenRules | undefined;
  readonly emit: (event: ChatEvent) => void;
  readonly createToolCallId: () => string;
}

export type Choice = ReturnType<typeof createChoice>;

/** One completion of a request while it grows: chooses tokens and reports what they mean. */
export function createChoice(index: number, context: ChoiceContext) {
  const { request, prompt, seed, contextLength, vocabularySize, tokenizer, rules, grammar, emit } = context;
  const { dryMultiplier, drySequenceBreakers } = request;
  const dryBreakers = dryMultiplier === 0 ? undefined : breakerFinderOf(tokenizer)(drySequenceBreakers);
  const parameters = { ...samplerParametersOf(request), dryBreakers };
  const sampler = createSampler(parameters, { vocabularySize, seed, isWord: wordTestOf(tokenizer) });
  const counted = request.penalizePrompt ? prompt.subarray(-sampler.memory) : [];
  for (const token of counted) sampler.accept(token);
  const detokenizer = createDetokenizer(tokenizer.decode);
  const matcher = grammar?.createMatcher();
  const answer = createAnswerParser({
    stop: request.stop,
    includeStop: request.includeStopStrInOutput,
    reasoningSplitter: context.createReasoningSplitter?.(),
    toolCallParser: context.createToolCallParser?.(),
    createToolCallId: context.createToolCallId,
    isCallsAlone: grammar !== undefined && !['auto', 'none'].includes(request.toolChoice as string),
  });
  /** Tokens whose log probabilities are held back: they must not reveal what a stop sequence or hidden thinking hides. */
  let heldLogprobs: { readonly logprobs: TokenLogprobs; textLength: number }[] = [];
  /** Tokens that complete a constrained answer at its limit, from when they begin to take the place of chosen ones. */
  let ending: number[] | undefined;
  const said: number[] = [];
  /** Tokens that events have reported. */
  let reportedTokens = 0;
  const choice = {
    tokens: 0,
    reasoningTokens: 0,
    get remaining(): number {
      return Math.min(request.maxTokens, contextLength - prompt.length) - choice.tokens;
    },
    /** Not with a mask, which may leave only unlikely tokens, and not for log probabilities, which are exact. */
    get takesLargest(): boolean {
      return !sampler.needsAllLogits && !matcher && !rules && !request.logprobs;
    },
    nextOfLargest(largest: LargestLogits): number | undefined {
      const token = sampler.sampleLargest(largest);
      return token === -1 ? -1 : take(token);
    },
    next(logits: Float32Array): number | undefined {
      const token = ending?.shift() ?? choose(logits);
      return token === undefined ? end({ cutOff: false }) : take(token, logits);
    },
  };
  return choice;

  /** @returns `undefined` where the rules leave no token */
  function choose(logits: Float32Array): number | undefined {
    const mask = rules ? rules.mask(said, matcher?.mask()) : matcher?.mask();
    if (rules && !mask) return undefined;
    const token = sampler.sample(logits, mask, matcher?.isFree);
    // An answer that thinking left no room for would say nothing.
    if (!matcher || answer.isReasoning || matcher.endsWithin(choice.remaining - 1, token)) return token;
    const last = matcher.ending();
    if (!last || last.length === 0 || last.length > choice.remaining) return token;
    ending = last;
    return last.shift()!;
  }

  /** @param logits for log probabilities */
  function take(token: number, logits?: Float32Array): number | undefined {
    if (context.endTokens.has(token) || request.stopTokenIds.includes(token)) {
      if (request.includeStopStrInOutput && !tokenizer.isSpecial(token)) read(detokenizer.push(token));
      // Harnesses take the last of a completion's tokens for the generated one, whatever it is.
      if (request.prompts.length > 0) holdLogprobs(token, logits);
      return end({ cutOff: false });
    }
    sampler.accept(token);
    matcher?.accept(token);
    if (rules) said.push(token);
    choice.tokens++;
    if (answer.isReasoning) choice.reasoningTokens++;
    holdLogprobs(token, logits);
    const isVisible = !tokenizer.isSpecial(token) || context.markerTokens.has(token);
    if (isVisible) read(detokenizer.push(token));
    if (answer.stopped !== null || ending?.length === 0) return end({ cutOff: false });
    return choice.remaining > 0 ? token : end({ cutOff: true });
  }

  function holdLogprobs(token: number, logits: Float32Array | undefined): void {
    if (!logits || !request.logprobs || isHidden()) return;
    const logprobs = readTokenLogprobs(logits, token, request.topLogprobs, tokenizer);
    heldLogprobs.push({ logprobs, textLength: 0 });
  }

  function read(text: string): void {
    const last = heldLogprobs.at(-1);
    if (last) last.textLength += text.length;
    const events = text === '' ? [] : answer.push(text);
    // The tokens so far are those of the marker that began the thinking.
    if (isHidden()) heldLogprobs = [];
    if (events.length > 0) emitLogprobs();
    emitAll(events);
  }

  /** Whether the text that comes next is thinking that the client doesn't want. */
  function isHidden(): boolean {
    return answer.isReasoning && !request.includeReasoning;
  }

  function end({ cutOff }: { cutOff: boolean }): undefined {
    if (answer.stopped === null) read(detokenizer.flush());
    const { events, finishReason: own } = answer.end({ cutOff });
    emitLogprobs();
    emitAll(events);
    const { stopped } = answer;
    const finishReason = ending ? 'length' : own;
    const stop = finishReason === 'stop' && stopped !== null ? { stopSequence: stopped } : {};
    emit({ type: 'choice-end', choice: index, finishReason, ...stop });
  }

  function emitAll(events: readonly AnswerEvent[]): void {
    for (const event of events) {
      if (event.type === 'tool-call-start') emit({ ...event, choice: index });
      else if (event.type === 'reasoning-delta' && !request.includeReasoning) {
        emit({ type: 'hidden-tokens', choice: index, tokens: takeNewTokens() });
      } else emit({ ...event, choice: index, tokens: takeNewTokens() });
    }
  }

  function takeNewTokens(): number {
    const count = choice.tokens - reportedTokens;
    reportedTokens = choice.tokens;
    return count;
  }

  /** Reports the tokens of which at least a part is delivered, or has no text of its own. */
  function emitLogprobs(): void {
    let count = heldLogprobs.length;
    if (count === 0) return;
    let { withheld } = answer;
    if (withheld > 0) {
      for (; count > 0 && heldLogprobs[count - 1]!.textLength <= withheld; count--)
        withheld -= heldLogprobs[count - 1]!.textLength;
    }
    const tokens = heldLogprobs.splice(0, count).map(({ logprobs }) => logprobs);
    if (tokens.length > 0) emit({ type: 'logprobs', choice: index, tokens });
  }
}

/** Tells tokens with a letter or digit, or a part of a character beyond ASCII, from punctuation and white space. */
const wordTestOf = oncePer((tokenizer) => {
  const known = new Map<number, boolean>();
  // Asked for every penalised token of every step: nothing is allocated for one that is known.
  const test = (token: number): boolean => tokenizer.bytesOf(token).some(isOfWord);
  return (token: number): boolean => getOrCreate(known, token, test);
});

function isOfWord(byte: number): boolean {
  const letter = byte | 0x20;
  return byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
