import { randomInt } from 'node:crypto';
import type { EventStream } from '../../../concurrency/event-stream.ts';
import type { Decoder, DecoderTraffic } from '../../../contracts/decoder.ts';
import type { PipelineRunOptions } from '../../../contracts/run.ts';
import { InferenceError } from '../../../errors.ts';
import type { ChatEvent } from '../events.ts';
import { chatParameters } from '../parameters.ts';
import type { Batcher, Generation } from './batch/batcher.ts';
import { Choice, type ChoiceContext } from './choice/choice.ts';
import { readPromptLogprobs } from './choice/token-logprobs.ts';
import type { EncodedPrompt } from './prompt/raw-prompts.ts';

export interface ReadPrompt extends EncodedPrompt {
  /** Tokens to feed, if they differ: image rows in place of placeholders. */
  readonly fed?: Int32Array;
}

interface RunModel {
  readonly batcher: Batcher;
  readonly decoder: Decoder;
  readonly contextLength: number;
  /** `undefined` if callers share no prefixes. */
  readonly sharedLength: ((prompt: Int32Array) => number) | undefined;
}

interface RunParts {
  readonly request: ChoiceContext['request'];
  readonly prompts: readonly ReadPrompt[];
  readonly promptFacts: object;
  readonly context: Omit<ChoiceContext, 'prompt' | 'seed'>;
  readonly events: EventStream<ChatEvent>;
  readonly options: PipelineRunOptions;
}

export class ChatRun {
  readonly #model: RunModel;
  readonly #parts: RunParts;
  readonly #seed: number;
  readonly #promptTokens: number;
  readonly #trafficBefore: Partial<DecoderTraffic>;
  readonly #choices: Choice[] = [];
  #hasLeft = false;
  #cachedTokens = 0;
  #unreadPrompts: number;
  #unfinishedPrompts: number;

  constructor(model: RunModel, parts: RunParts) {
    this.#model = model;
    this.#parts = parts;
    const { request, prompts } = parts;
    this.#seed = request.seed ?? randomInt(chatParameters.seed.max);
    this.#promptTokens = 0;
    for (const { tokens } of prompts) this.#promptTokens += tokens.length;
    this.#trafficBefore = { ...model.decoder.traffic };
    this.#unreadPrompts = prompts.length;
    this.#unfinishedPrompts = prompts.length;
  }

  begin(): void {
    const { prompts, events } = this.#parts;
    events.push([{ type: 'prompt-start', promptTokens: this.#promptTokens }]);
    for (const [index, prompt] of prompts.entries()) this.#model.batcher.add(this.#generation(prompt, index));
  }

  /** Ends the choices at their next step. */
  leave(): void {
    this.#hasLeft = true;
  }

  #generation({ tokens: prompt, fed = prompt }: ReadPrompt, index: number): Generation {
    const { request, context, events, promptFacts, options } = this.#parts;
    const { signal, owner, sharesPrefixes } = options;
    const choices: Choice[] = [];
    for (let choice = 0; request.stopAfter !== 'prompt' && choice < request.n; choice++)
      choices.push(new Choice(index * request.n + choice, { ...context, prompt, seed: this.#seed + choice }));
    this.#choices.push(...choices);
    const maxTokens = Math.min(request.maxTokens, this.#model.contextLength - prompt.length);
    const hasLeft = (): boolean => this.#hasLeft || signal?.aborted === true;
    return {
      prompt: fed,
      maxTotalTokens: prompt.length + choices.length * maxTokens,
      continuations: choices,
      reproducible: request.seed !== undefined,
      endsAlone: request.temperature === 0,
      owner,
      shared: this.#model.sharedLength?.(fed),
      prefixOwner: sharesPrefixes ? undefined : owner,
      signal,
      ...(request.echo === 'logprobs' && {
        readLogits: (logits: Float32Array, start: number) => this.#readPrompt(index, logits, start),
      }),
      get cancelled() {
        return hasLeft();
      },
      promptEnded: (cachedTokens) => {
        this.#cachedTokens += cachedTokens;
        if (--this.#unreadPrompts > 0) return;
        events.push([{ type: 'prompt-end', promptTokens: this.#promptTokens, ...promptFacts }]);
      },
      ended: () => this.#end(index),
      failed: (error) => events.end(error),
    };
  }

  #readPrompt(index: number, logits: Float32Array, start: number): void {
    const { prompts, request, context, events } = this.#parts;
    const piece = { logits, start, vocabularySize: context.vocabularySize };
    const tokens = readPromptLogprobs(prompts[index]!.tokens, piece, request.topLogprobs, context.tokenizer);
    events.push([{ type: 'prompt-logprobs', prompt: index, tokens }]);
  }

  #end(index: number): void {
    const { request, events, options } = this.#parts;
    if (options.signal?.aborted)
      return events.end(new InferenceError('cancelled', 'The request was cancelled.'));
    if (request.stopAfter === 'prompt') {
      for (let choice = 0; choice < request.n; choice++)
        events.push([{ type: 'choice-end', choice: index * request.n + choice, finishReason: 'length' }]);
    }
    if (--this.#unfinishedPrompts > 0) return;
    const counted = { completionTokens: 0, reasoningTokens: 0 };
    for (const { tokens, reasoningTokens } of this.#choices) {
      counted.completionTokens += tokens;
      counted.reasoningTokens += reasoningTokens;
    }
    const usage = { promptTokens: this.#promptTokens, cachedTokens: this.#cachedTokens, ...counted };
    const traffic = trafficSince(this.#trafficBefore, this.#model.decoder.traffic);
    events.push([{ type: 'usage', ...usage, ...traffic }]);
    events.end();
  }
}

function trafficSince(
  { bytes = 0, rowSteps = 0 }: Partial<DecoderTraffic>,
  now: DecoderTraffic | undefined,
): { readonly busBytesPerStep?: number } {
  if (!now || now.rowSteps === rowSteps) return {};
  return { busBytesPerStep: (now.bytes - bytes) / (now.rowSteps - rowSteps) };
}
