import type { SessionBackend, TextModel } from '../../../contracts/sessions.ts';
import type { Decoder, DecoderTraffic } from '../../../runtime/decoder.ts';
import type { ChatSettings } from '../settings.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { chatParameters } from '../parameters.ts';
import type { CompiledGrammar } from '../../../core/chat/grammar/matcher.ts';
import { detectFormats, type ModelFormats } from '../../../core/chat/formats.ts';
import { picturesOf, toTextMessage } from '../../../core/chat/messages.ts';
import { abbreviate, quote } from '../../../core/text/quote.ts';
import { fieldError, fieldErrorOf, InferenceError, sentence } from '../../../errors.ts';
import { createGrammarEngine, type GrammarEngine } from '../../../models/grammar/grammar-engine.ts';
import { createChatTemplate, type ChatTemplate } from '../../../models/chat-template.ts';
import { withTools } from '../../../models/tool-template.ts';
import type { ModelFolder } from '../../../models/model-folder.ts';
import type { TextTokenizer } from '../../../models/tokenizer.ts';
import type { ChatEvent, ChatModelInfo } from '../events.ts';
import type { ChatRequest } from '../request.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { PipelineRunOptions } from '../../../contracts/run.ts';
import { EventStream } from '../../../concurrency/event-stream.ts';
import { Batcher } from './batch/batcher.ts';
import { answerConstraint, type AnswerSetting } from './choice/answer-constraint.ts';
import { Choice, type ChoiceContext } from './choice/choice.ts';
import { assertFewMessages, encodePrompt } from './prompt/encode-prompt.ts';
import { PrefixCache } from './batch/prefix-cache.ts';
import { renderPrompt, thinkingPrompt } from './prompt/prompt.ts';
import { createSharedPrompts } from './prompt/shared-prompts.ts';
import { foreignTemplateParameters } from './prompt/template-variables.ts';
import { expandPlaceholders, placePictures } from './vision/picture-prompt.ts';
import { loadVision } from './vision/load-vision.ts';
import type { ReadyPicture, VisionModel } from './vision/vision-model.ts';

const defaultMaxBatchSize = 8;

/** Kept beginnings of conversations; beyond a few, the chance of another turn is small and the memory is not. */
const prefixCacheLimits = { maxSequences: 8, maxBytes: 256 * 2 ** 20 };
const noPrefixes = { maxSequences: 0, maxBytes: 0 };

/** Names of the context length in configs. */
const lengthNames = ['max_position_embeddings', 'n_positions', 'max_seq_len', 'seq_length', 'n_ctx'];

/** Encoder–decoder models were trained on texts, not on conversations: theirs are the lines of a conversation. */
const plainTemplate = "{{ messages | map(attribute='content') | join('\\n') }}";

/**
 * Loads a chat model: a decoder with a chat template, in the hub's ONNX layout or as the backend has it.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadChatPipeline(
  spec: ModelSpec<ChatSettings>,
  backend: SessionBackend,
): Promise<Pipeline<ChatRequest, ChatEvent, ChatModelInfo>> {
  if (spec.threads !== undefined) assertCount('threads', spec.threads);
  if (!backend.openTextModel) throw fieldError('backend', 'expected one that has decoders');
  const model = await backend.openTextModel(spec);
  try {
    return await createChatPipeline(spec, model, backend);
  } catch (error) {
    await model.release?.();
    throw error;
  }
}

async function createChatPipeline(
  spec: ModelSpec<ChatSettings>,
  model: TextModel,
  backend: SessionBackend,
): Promise<ChatPipeline> {
  const { folder, tokenizer } = model;
  const { maxBatchSize = model.mostRows ?? defaultMaxBatchSize } = spec;
  assertCount('maxBatchSize', maxBatchSize);
  const own = createChatTemplate(withPlainTemplate(folder), { chatTemplate: spec.chatTemplate });
  const { template, formats } = withTools(
    { template: own, formats: readFormats(spec, own, tokenizer) },
    spec,
  );
  const endTokens = readEndTokens(folder, tokenizer);
  const contextLength = readContextLength(model, spec);
  const inner = await model.openDecoder({ contextLength, maxRows: maxBatchSize });
  const { decoder, vision } = await loadVision(inner, { backend, spec, folder, template, tokenizer });
  try {
    assertKept(spec, decoder, template);
  } catch (error) {
    await decoder.release();
    await vision?.release();
    throw error;
  }
  const grammars = createGrammarEngine(tokenizer, {
    vocabularySize: decoder.vocabularySize,
    endTokens,
    markers: [...formats.reasoning.markers, ...(formats.toolCalls?.markers ?? [])],
  });
  return new ChatPipeline({
    spec,
    folder,
    template,
    tokenizer,
    formats,
    endTokens,
    contextLength,
    decoder,
    vision,
    grammars,
    maxBatchSize,
  });
}

/** @throws InferenceError `invalid_request` for a setting that asks more of the caches than they can do */
function assertKept(
  { speculation, sharedSystemPrompts = [] }: ChatSettings,
  { verify, cutsSequences, keepsPrefixes }: Decoder,
  { hasSystemRole }: ChatTemplate,
): void {
  if (speculation && !verify)
    throw fieldError('speculation', 'the caches of this model can take no tokens back');
  if (sharedSystemPrompts.length === 0) return;
  if (!hasSystemRole)
    throw fieldError('sharedSystemPrompts', 'the chat template of this model takes no system prompt');
  if (cutsSequences === false || keepsPrefixes === false)
    throw fieldError('sharedSystemPrompts', 'the caches of this model keep no beginnings of prompts');
}

interface LoadedModel {
  readonly spec: ModelSpec<ChatSettings>;
  readonly folder: ModelFolder;
  readonly template: ChatTemplate;
  readonly tokenizer: TextTokenizer;
  readonly formats: ModelFormats;
  readonly endTokens: ReadonlySet<number>;
  readonly contextLength: number;
  readonly decoder: Decoder;
  /** `undefined` for a model that takes no pictures. */
  readonly vision: VisionModel | undefined;
  readonly grammars: GrammarEngine;
  readonly maxBatchSize: number;
}

class ChatPipeline implements Pipeline<ChatRequest, ChatEvent, ChatModelInfo> {
  readonly info: ChatModelInfo;
  readonly concurrency: number;
  readonly reserve: number;
  readonly #model: LoadedModel;
  readonly #batcher: Batcher;
  readonly #sharedLength: (prompt: Int32Array) => number;

  constructor(model: LoadedModel) {
    const { spec, folder, template, contextLength, decoder, maxBatchSize: maxRows } = model;
    this.#model = model;
    const prefixes = new PrefixCache(
      decoder,
      decoder.keepsPrefixes === false ? noPrefixes : prefixCacheLimits,
    );
    this.#sharedLength = createSharedPrompts(spec.sharedSystemPrompts ?? [], model);
    this.#batcher = new Batcher(decoder, { maxRows, prefixes, speculates: spec.speculation });
    this.concurrency = maxRows;
    this.reserve = maxRows;
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'chat',
      contextLength,
      foreignParameters: foreignTemplateParameters(template),
      inputModalities: model.vision ? ['text', 'image'] : ['text'],
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  async *run(asked: ChatRequest, options: PipelineRunOptions = {}): AsyncGenerator<ChatEvent> {
    const { vision } = this.#model;
    if (!vision) {
      assertTextAlone(asked);
      return yield* this.#answer(asked, [], options);
    }
    const pictures = await vision.read(asked.messages, options);
    try {
      yield* this.#answer(asked, pictures, options);
    } finally {
      vision.giveBack(pictures);
    }
  }

  async *#answer(
    asked: ChatRequest,
    pictures: readonly ReadyPicture[],
    { signal, owner, sharesPrefixes }: PipelineRunOptions,
  ): AsyncGenerator<ChatEvent> {
    const request = { ...asked, messages: asked.messages.map(toTextMessage) };
    const { tokenizer, template, formats, contextLength, endTokens, decoder, vision, grammars } = this.#model;
    const parsesToolCalls = request.tools.length > 0 && request.toolChoice !== 'none';
    const toolCalls = parsesToolCalls ? formats.toolCalls : undefined;
    if (parsesToolCalls && (!template.supportsTools || toolCalls === undefined)) {
      throw fieldError('tools', `the model ${quote(request.model)} has no tool calling`, {
        code: 'unsupported_feature',
      });
    }
    for (const token of request.logitBias.keys()) {
      if (token < decoder.vocabularySize) continue;
      throw fieldError('logit_bias', `expected token ids below ${decoder.vocabularySize}, got ${token}`);
    }
    assertFewMessages(request.messages, contextLength);
    const { text: rendered, tools } = renderPrompt(request, template, hasThinking(this.#model));
    const texts = pictures.map((picture) => picture.text);
    const text = vision ? expandPlaceholders(rendered, texts, vision.family) : rendered;
    const prompt = encodePrompt(text, tokenizer, { contextLength, ...request });
    const encoded = pictures.map((picture) => picture.encoded);
    const fed = vision ? placePictures(prompt, encoded, vision.token) : prompt;
    const shown = thinkingPrompt(request, text, formats.reasoning.constraint(text));
    const { openSchemas: opensObjects } = this.#model.spec;
    const setting = { tools, prompt: shown, formats, template, tokenizer, grammars, opensObjects };
    const grammar = await compileAnswer(request, setting, signal);
    const isConstrained = grammar !== undefined;
    const createToolCallParser = toolCalls && (() => toolCalls.createParser(tools, { isConstrained }));
    const events = new EventStream<ChatEvent>();
    const context: ChoiceContext = {
      request,
      prompt,
      seed: request.seed ?? randomInt(chatParameters.seed.max),
      tokenizer,
      vocabularySize: decoder.vocabularySize,
      contextLength,
      endTokens,
      markerTokens: tokensOf([...formats.reasoning.markers, ...(toolCalls?.markers ?? [])], tokenizer),
      createReasoningSplitter: () =>
        formats.reasoning.createSplitter(
          shown,
          toolCalls &&
            createToolCallParser && { openers: toolCalls.openers, createParser: createToolCallParser },
        ),
      createToolCallParser,
      grammar,
      emit: (event) => events.push([event]),
      createToolCallId: () => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    };
    const choices = Array.from({ length: request.n }, (_, index) => new Choice(index, context));
    let left = false;
    let cachedTokens = 0;
    const before = { ...decoder.traffic };
    events.push([{ type: 'prompt-start', promptTokens: prompt.length }]);
    this.#batcher.add({
      prompt: fed,
      mostTokens: prompt.length + request.n * Math.min(request.maxTokens, contextLength - prompt.length),
      continuations: choices,
      reproducible: request.seed !== undefined,
      owner,
      shared: this.#sharedLength(fed),
      prefixOwner: sharesPrefixes ? undefined : owner,
      signal,
      get cancelled() {
        return left || signal?.aborted === true;
      },
      promptEnded(cached) {
        cachedTokens = cached;
        const narrowed = tools.length < request.tools.length && parsesToolCalls;
        const promptTokens = prompt.length;
        const toolsUsed = narrowed ? { toolsUsed: tools.map(({ name }) => name) } : {};
        events.push([{ type: 'prompt-end', promptTokens, ...toolsUsed }]);
      },
      ended() {
        if (signal?.aborted) return events.end(new InferenceError('cancelled', 'The request was cancelled.'));
        const completionTokens = sum(choices, ({ tokens }) => tokens);
        const reasoningTokens = sum(choices, (choice) => choice.reasoningTokens);
        const promptTokens = prompt.length;
        const usage = { promptTokens, cachedTokens, completionTokens, reasoningTokens };
        events.push([{ type: 'usage', ...usage, ...trafficSince(before, decoder.traffic) }]);
        events.end();
      },
      failed: (error) => events.end(error),
    });
    try {
      yield* events;
    } finally {
      left = true;
    }
  }

  async close(): Promise<void> {
    await this.#batcher.idle();
    await this.#model.decoder.release();
    await this.#model.vision?.release();
  }
}

function withPlainTemplate(folder: ModelFolder): ModelFolder {
  const isPlain = folder.chatTemplate === undefined && folder.config['is_encoder_decoder'] === true;
  return isPlain ? { ...folder, chatTemplate: plainTemplate } : folder;
}

/** @throws InferenceError `unsupported_feature` naming the first picture */
function assertTextAlone({ model, messages }: ChatRequest): void {
  const [first] = picturesOf(messages);
  if (!first) return;
  const { place } = first;
  throw fieldError(place, `the model ${quote(model)} takes no pictures`, { code: 'unsupported_feature' });
}

function readFormats(
  spec: ChatSettings,
  { source, callSample }: ChatTemplate,
  tokenizer: TextTokenizer,
): ModelFormats {
  const { toolCallFormat, reasoningFormat } = spec;
  const hasToken = (token: string) => tokenizer.tokenToId(token) !== undefined;
  try {
    return detectFormats({ template: source, callSample, hasToken, toolCallFormat, reasoningFormat });
  } catch (error) {
    throw fieldErrorOf((error as Error).message.split(':', 1)[0]!, error);
  }
}

/** @throws InferenceError `invalid_request` naming the keyword of a schema that can't be honoured */
async function compileAnswer(
  request: ChatRequest,
  setting: Omit<AnswerSetting, 'thinks'> & Pick<LoadedModel, 'template' | 'tokenizer' | 'grammars'>,
  signal: AbortSignal | undefined,
): Promise<CompiledGrammar | undefined> {
  const thinks = hasThinking(setting);
  try {
    return await setting.grammars.compileInSlices(answerConstraint(request, { ...setting, thinks }), {
      signal,
    });
  } catch (error) {
    // An error of the engine, such as a stack that is too deep, has no place in the schema.
    if (!(error instanceof RangeError && error.message.includes(': '))) throw error;
    const isTool = error.message.startsWith('tools[');
    const message = sentence(abbreviate(isTool ? error.message : `response_format: ${error.message}`, 200));
    const param = isTool ? 'tools' : 'response_format';
    throw new InferenceError('invalid_request', message, { param, cause: error });
  }
}

/** Whether the model has a form of thinking that is known. */
function hasThinking({
  formats,
  template,
  tokenizer,
}: Pick<LoadedModel, 'formats' | 'template' | 'tokenizer'>): boolean {
  const hasToken = (token: string) => tokenizer.tokenToId(token) !== undefined;
  return formats.reasoning.detect({ template: template.source, hasToken });
}

function tokensOf(texts: readonly string[], tokenizer: TextTokenizer): Set<number> {
  return new Set(texts.map((text) => tokenizer.tokenToId(text)).filter((id) => id !== undefined));
}

function readEndTokens(
  { generationConfig, config, tokenizerConfig }: ModelFolder,
  tokenizer: TextTokenizer,
): Set<number> {
  const ids = [generationConfig['eos_token_id'], config['eos_token_id']].flat();
  const token = tokenizerConfig['eos_token'];
  const text = typeof token === 'object' && token !== null && 'content' in token ? token.content : token;
  if (typeof text === 'string') ids.push(tokenizer.tokenToId(text));
  const endTokens = new Set(ids.filter((id) => typeof id === 'number'));
  if (endTokens.size > 0) return endTokens;
  throw fieldError('source', 'neither config.json nor generation_config.json has an eos_token_id');
}

function readContextLength(
  { folder: { config }, contextLength: usual }: TextModel,
  spec: ChatSettings,
): number {
  const text = (config['text_config'] ?? config) as Readonly<Record<string, unknown>>;
  const most = text['max_position_embeddings'] ?? text['n_positions'];
  if (spec.contextLength !== undefined) {
    assertCount('contextLength', spec.contextLength, typeof most === 'number' ? most : Infinity);
    return spec.contextLength;
  }
  const lengths = [usual, ...lengthNames.map((name) => text[name])];
  const length = lengths.find((value): value is number => typeof value === 'number' && value > 0);
  if (length !== undefined) return length;
  const names = lengthNames.join(', ');
  throw fieldError('contextLength', `config.json has none of ${names}, so it has to be given`);
}

function assertCount(param: string, value: number, most = Infinity): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  const range = most === Infinity ? 'of at least 1' : `from 1 to ${most}`;
  throw fieldError(param, `expected an integer ${range}, got ${value}`);
}

function trafficSince(
  { bytes = 0, rowSteps = 0 }: Partial<DecoderTraffic>,
  now: DecoderTraffic | undefined,
): { readonly busBytesPerStep?: number } {
  if (!now || now.rowSteps === rowSteps) return {};
  return { busBytesPerStep: (now.bytes - bytes) / (now.rowSteps - rowSteps) };
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
