import type { SessionBackend, TextModel } from '../../../contracts/sessions.ts';
import type { Decoder } from '../../../contracts/decoder.ts';
import type { ChatSettings } from '../settings.ts';
import { randomUUID } from 'node:crypto';
import type { AnswerConstraint } from '../../../core/grammar/constraint.ts';
import type { CompiledGrammar } from '../../../core/grammar/engine/matcher.ts';
import { detectFormats, type ModelFormats } from '../../../core/chat/formats.ts';
import { toolCallFacts } from '../../../core/chat/tool-calls/format.ts';
import { picturesOf, toTextMessage, type ToolDefinition } from '../../../core/chat/messages.ts';
import type { TurnKind } from '../../../core/chat/turns.ts';
import { abbreviate, quote } from '../../../core/text/quote.ts';
import {
  fieldError,
  fieldErrorOf,
  InferenceError,
  orThrow,
  sentence,
  unsupportedError,
} from '../../../errors.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';
import { createGrammarEngine } from '../../../folder/grammar/grammar-engine.ts';
import { createChatTemplate, type ChatTemplate } from '../../../folder/chat-template.ts';
import { withEveryTurn } from '../../../folder/every-turn.ts';
import { withTools } from '../../../folder/tool-template.ts';
import type { ModelFolder, TextTokenizer } from '../../../contracts/text-model.ts';
import { contextLengthNames, statedContextLength } from '../../../folder/text-length.ts';
import { tokenText } from '../../../folder/tokenizer.ts';
import type { ChatEvent, ChatModelInfo, TokenSpelling } from '../events.ts';
import type { ChatRequest } from '../request.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { PipelineRunOptions } from '../../../contracts/run.ts';
import { EventStream } from '../../../concurrency/event-stream.ts';
import { inSlices, Turns } from '../../../concurrency/in-slices.ts';
import { exactOr } from '../../../core/text/exact-json.ts';
import { Batcher } from './batch/batcher.ts';
import { answerConstraint } from './choice/answer-constraint.ts';
import { ChatRun, type ReadPrompt } from './chat-run.ts';
import type { ChoiceContext } from './choice/choice.ts';
import { assertFewMessages, encodePrompt, encoderOf, refusal } from './prompt/encode-prompt.ts';
import type { PromptLimit } from './prompt/encode-prompt.ts';
import { encodeRawPrompts, type EncodedPrompt } from './prompt/raw-prompts.ts';
import { compileTokenRules } from './choice/token-rules.ts';
import { PrefixCache } from './batch/prefix-cache.ts';
import {
  renderPrompt,
  thinkingPrompt,
  type TextRequest,
  foreignTemplateParameters,
} from './prompt/prompt.ts';
import { createSharedPrompts } from './prompt/shared-prompts.ts';
import { expandPlaceholders, placePictures } from './vision/picture-table.ts';
import { loadVision } from './vision/load-vision.ts';
import type { ReadyPicture } from './vision/vision-model.ts';

const defaultMaxBatchSize = 8;

/** Few, because the chance of a next turn falls quickly while each prefix takes memory. */
const prefixCacheLimits = { maxSequences: 8, maxBytes: 256 * 2 ** 20 };
const noPrefixes = { maxSequences: 0, maxBytes: 0 };

/** Limits how long encoding blocks the event loop. */
const maxPreviewTokens = 2 ** 17;
/** All of them are buffered in memory until the last one. */
const maxPromptLogprobs = 2 ** 18;

/** Encoder–decoder models were trained on plain text. */
const plainTemplate = "{{ messages | map(attribute='content') | join('\\n') }}";

export async function loadChatPipeline(
  spec: ModelSpec<ChatSettings>,
  backend: SessionBackend,
): Promise<Pipeline<ChatRequest, ChatEvent, ChatModelInfo>> {
  if (!backend.openTextModel) throw fieldError('backend', 'expected one that has decoders');
  const model = await backend.openTextModel(spec);
  return releaseOnFailure(async (own) => toPipeline(await openModel(spec, own(model), backend)));
}

type LoadedModel = Awaited<ReturnType<typeof openModel>>;

async function openModel(spec: ModelSpec<ChatSettings>, model: TextModel, backend: SessionBackend) {
  const { folder, tokenizer } = model;
  const { maxBatchSize = model.maxRows ?? defaultMaxBatchSize } = spec;
  const isPlain = folder.chatTemplate === undefined && folder.config['is_encoder_decoder'] === true;
  const templated = isPlain ? { ...folder, chatTemplate: plainTemplate } : folder;
  const ownTemplate = withEveryTurn(createChatTemplate(templated, { chatTemplate: spec.chatTemplate }));
  const { template, formats } = withTools(
    { template: ownTemplate, formats: readFormats(spec, ownTemplate, tokenizer) },
    spec,
  );
  const endTokens = readEndTokens(folder, tokenizer);
  const contextLength = readContextLength(model, spec);
  const inner = await model.openDecoder({ contextLength, maxRows: maxBatchSize });
  const { decoder, vision } = await loadVision(inner, { backend, spec, folder, template, tokenizer });
  await releaseOnFailure((own) => {
    own(vision);
    assertKept(spec, own(decoder), template);
  });
  const { markers } = formats.reasoning;
  const grammars = createGrammarEngine(tokenizer, {
    vocabularySize: decoder.vocabularySize,
    endTokens,
    markers: [...markers, ...(formats.toolCalls?.markers ?? [])],
  });
  const hasToken = (token: string) => tokenizer.tokenToId(token) !== undefined;
  const thinks = formats.reasoning.detect({ template: template.source, hasToken });
  const prefixes = new PrefixCache(decoder, decoder.keepsPrefixes === false ? noPrefixes : prefixCacheLimits);
  return {
    spec,
    folder,
    template,
    tokenizer,
    formats,
    /** The model has a known form of thinking. */
    thinks,
    /** It thinks, or its template removes thoughts from earlier answers. */
    hasThoughts: thinks || markers.some((mark) => template.source.includes(mark)),
    endTokens,
    contextLength,
    decoder,
    /** `undefined` for models without image input. */
    vision,
    grammars,
    maxBatchSize,
    batcher: new Batcher(decoder, { maxRows: maxBatchSize, prefixes, speculates: spec.speculation }),
    turns: new Turns(),
    sharedLength:
      spec.sharedSystemPrompts && createSharedPrompts(spec.sharedSystemPrompts, { template, tokenizer }),
  };
}

function toPipeline(model: LoadedModel): Pipeline<ChatRequest, ChatEvent, ChatModelInfo> {
  const { spec, folder, template, formats, contextLength, batcher, decoder, vision, maxBatchSize } = model;
  return {
    concurrency: maxBatchSize,
    /** Requests take little memory before the batcher starts them. */
    reserve: 64,
    info: {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'chat',
      contextLength,
      foreignParameters: foreignTemplateParameters(template),
      toolCalls: template.supportsTools && formats.toolCalls ? toolCallFacts(formats.toolCalls) : undefined,
      inputModalities: vision ? ['text', 'image'] : ['text'],
      created: folder.created,
      ownedBy: 'slashv1',
    },
    async *run(asked, options = {}) {
      if (!vision) {
        const [picture] = picturesOf(asked.messages);
        if (picture)
          throw unsupportedError(picture.place, `the model ${quote(asked.model)} has no image input`);
        return yield* answer(model, asked, [], options);
      }
      const pictures = await vision.read(asked.messages, options);
      try {
        yield* answer(model, asked, pictures, options);
      } finally {
        vision.releasePictures(pictures);
      }
    },
    async close() {
      await batcher.idle();
      await decoder.release();
      await vision?.release();
    },
  };
}

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

function withExactSchemas<Request extends Pick<ChatRequest, 'tools' | 'responseFormat'>>(
  request: Request,
): Request {
  const { tools, responseFormat: format } = request;
  const responseFormat =
    format.type === 'json-schema' ? { ...format, schema: exactOr(format.schema, format.schemaText) } : format;
  return { ...request, tools: tools.map(exactTool), responseFormat };
}

function exactTool(tool: ToolDefinition): ToolDefinition {
  const { parameters, parametersText: text } = tool;
  // Templates with the setting `toolPrompt` see which keys exist.
  return text === undefined ? tool : { ...tool, parameters: exactOr(parameters, text) };
}

type AnswerReading = Pick<
  ChoiceContext,
  'markerTokens' | 'createReasoningSplitter' | 'createToolCallParser' | 'grammar'
>;

interface ReadyRequest {
  readonly prompts: readonly ReadPrompt[];
  readonly tools: readonly ToolDefinition[];
  readonly turnsMerged: readonly TurnKind[];
  readonly openAnswer: () => Generator<void, AnswerReading>;
}

async function* answer(
  model: LoadedModel,
  asked: ChatRequest,
  pictures: readonly ReadyPicture[],
  options: PipelineRunOptions,
): AsyncGenerator<ChatEvent> {
  const { signal, owner } = options;
  const request = withExactSchemas({ ...asked, messages: asked.messages.map(toTextMessage) });
  const { tokenizer, contextLength, endTokens, decoder, turns } = model;
  const { vocabularySize } = decoder;
  const parsesToolCalls = assertServed(model, request);
  const steps = request.prompts.length > 0 ? encode(model, request) : render(model, request, pictures);
  const slices = { turns, owner, signal };
  const { prompts, tools, turnsMerged, openAnswer } = await inSlices(steps, slices);
  if (request.echo !== undefined) yield* prompts.map((prompt, index) => show(model, prompt, index, request));
  if (request.stopAfter === 'encoding') return;
  const reading = await inSlices(openAnswer(), slices);
  const narrowed = tools.length < request.tools.length && parsesToolCalls;
  const events = new EventStream<ChatEvent>();
  const run = new ChatRun(model, {
    request,
    prompts,
    promptFacts: {
      ...(narrowed && { toolsUsed: tools.map(({ name }) => name) }),
      ...(turnsMerged.length > 0 && { turnsMerged }),
    },
    context: {
      ...reading,
      request,
      tokenizer,
      vocabularySize,
      contextLength,
      endTokens,
      rules: compileTokenRules(request, { tokenizer, vocabularySize, endTokens }),
      emit: (event) => events.push([event]),
      createToolCallId: () => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    },
    events,
    options,
  });
  run.begin();
  try {
    yield* events;
  } finally {
    run.leave();
  }
}

/** @returns whether to parse tool calls from the answer */
function assertServed({ template, formats, decoder }: LoadedModel, request: TextRequest): boolean {
  const parsesToolCalls = request.tools.length > 0 && request.toolChoice !== 'none';
  if (parsesToolCalls && (!template.supportsTools || formats.toolCalls === undefined))
    throw unsupportedError('tools', `the model ${quote(request.model)} doesn't support tool calling`);
  const { vocabularySize } = decoder;
  for (const [param, tokens] of [
    ['logit_bias', [...request.logitBias.keys()]],
    ['stop_token_ids', request.stopTokenIds],
    ['allowed_token_ids', request.allowedTokenIds],
  ] as const) {
    const unknown = tokens.find((token) => token >= vocabularySize);
    if (unknown !== undefined)
      throw fieldError(param, `expected token ids below ${vocabularySize}, got ${unknown}`);
  }
  if (request.echo === 'logprobs' && !decoder.forwardAll) {
    const reason = `the backend of the model ${quote(request.model)} returns no log probabilities of prompts`;
    throw unsupportedError('echo', reason);
  }
  return parsesToolCalls;
}

/** Raw prompts without a template; the whole output is answer text. */
function* encode(
  { tokenizer, contextLength, decoder, folder, grammars, spec }: LoadedModel,
  request: TextRequest,
): Generator<void, ReadyRequest> {
  const { vocabularySize } = decoder;
  const framesPrompts = folder.config['is_encoder_decoder'] === true;
  const isPreview = request.stopAfter === 'encoding';
  const prompts = yield* encodeRawPrompts(request, { tokenizer, vocabularySize, framesPrompts }, (place) =>
    isPreview
      ? previewLimit(place, contextLength)
      : { contextLength, refuse: refusal(place, 'prompt', contextLength) },
  );
  if (request.echo === 'logprobs') {
    const count = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0) * (1 + request.topLogprobs);
    if (count > maxPromptLogprobs) {
      const reason = `expected at most ${maxPromptLogprobs} log probabilities of prompts per request, got ${count}`;
      throw fieldError('logprobs', reason);
    }
  }
  const constraint = { response: request.responseFormat, opensObjects: spec.openSchemas };
  const openAnswer = function* (): Generator<void, AnswerReading> {
    return { markerTokens: new Set(), grammar: yield* compileAnswer(constraint, grammars) };
  };
  return { prompts, tools: [], turnsMerged: [], openAnswer };
}

function* render(
  model: LoadedModel,
  request: TextRequest,
  pictures: readonly ReadyPicture[],
): Generator<void, ReadyRequest> {
  const { tokenizer, template, formats, contextLength, vision, grammars, spec, thinks } = model;
  const toolCalls = request.tools.length > 0 && request.toolChoice !== 'none' ? formats.toolCalls : undefined;
  const isPreview = request.stopAfter === 'encoding';
  const limit = isPreview ? previewLimit('messages', contextLength) : { contextLength };
  assertFewMessages(request.messages, limit);
  const { text: rendered, tools, turnsMerged } = yield* renderPrompt(request, template, model.hasThoughts);
  const texts = pictures.map((picture) => picture.text);
  const text = vision ? expandPlaceholders(rendered, texts, vision.family) : rendered;
  const encoder = encoderOf(tokenizer, request.addSpecialTokens === true);
  const tokens = yield* encodePrompt(text, encoder, { ...request, ...limit });
  const encoded = pictures.map((picture) => picture.encoded);
  const fed = vision ? placePictures(tokens, encoded, vision.token) : tokens;
  const openAnswer = function* (): Generator<void, AnswerReading> {
    const shown = thinkingPrompt(request, text, formats.reasoning.constraint(text));
    const opensObjects = spec.openSchemas;
    const setting = { tools, prompt: shown, formats, thinks, opensObjects };
    const grammar = yield* compileAnswer(answerConstraint(request, setting), grammars);
    const isConstrained = grammar !== undefined;
    const createToolCallParser = toolCalls && (() => toolCalls.createParser(tools, { isConstrained }));
    const marks = [...formats.reasoning.markers, ...(toolCalls?.markers ?? [])];
    const markerTokens = new Set<number | undefined>();
    for (const mark of marks) markerTokens.add(tokenizer.tokenToId(mark));
    return {
      markerTokens,
      createReasoningSplitter: () =>
        formats.reasoning.createSplitter(
          shown,
          toolCalls &&
            createToolCallParser && { openers: toolCalls.openers, createParser: createToolCallParser },
        ),
      createToolCallParser,
      grammar,
    };
  };
  return { prompts: [{ text, tokens, fed, before: 0 }], tools, turnsMerged, openAnswer };
}

function show(
  { tokenizer, contextLength }: LoadedModel,
  { text, tokens, before }: EncodedPrompt,
  prompt: number,
  { echo }: Pick<ChatRequest, 'echo'>,
): ChatEvent {
  const spell = (id: number): TokenSpelling => ({
    name: tokenizer.idToToken(id) ?? '',
    bytes: [...tokenizer.bytesOf(id)],
  });
  const spellings = echo === 'spelling' ? { spellings: Array.from(tokens, spell) } : {};
  return { type: 'prompt', prompt, text, tokens: [...tokens], before, contextLength, ...spellings };
}

function readFormats(
  spec: ChatSettings,
  { source, probe, thinkingSwitch }: ChatTemplate,
  tokenizer: TextTokenizer,
): ModelFormats {
  const { toolCallFormat, reasoningFormat } = spec;
  const hasToken = (token: string) => tokenizer.tokenToId(token) !== undefined;
  return orThrow(
    () =>
      detectFormats({
        template: source,
        render: probe,
        thinkingSwitch,
        hasToken,
        toolCallFormat,
        reasoningFormat,
      }),
    (error) => fieldErrorOf(error.message.split(':', 1)[0]!, error),
  );
}

/** @throws InferenceError `invalid_request` that names the unsupported schema keyword */
function* compileAnswer(
  constraint: AnswerConstraint,
  grammars: LoadedModel['grammars'],
): Generator<void, CompiledGrammar | undefined> {
  if (constraint.response.type === 'text' && !constraint.calls) return undefined;
  try {
    return yield* grammars.compileSteps(constraint);
  } catch (error) {
    // Engine errors, such as stack overflow, have no label.
    if (!(error instanceof RangeError && error.message.includes(': '))) throw error;
    const isTool = error.message.startsWith('tools[');
    const message = sentence(abbreviate(isTool ? error.message : `response_format: ${error.message}`, 200));
    const param = isTool ? 'tools' : 'response_format';
    throw new InferenceError('invalid_request', message, { param, cause: error });
  }
}

function readEndTokens(
  { generationConfig, config, tokenizerConfig }: ModelFolder,
  tokenizer: TextTokenizer,
): Set<number> {
  const ids = [generationConfig['eos_token_id'], config['eos_token_id']].flat();
  const text = tokenText(tokenizerConfig['eos_token']);
  if (text !== undefined) ids.push(tokenizer.tokenToId(text));
  const endTokens = new Set(ids.filter((id) => typeof id === 'number'));
  if (endTokens.size > 0) return endTokens;
  throw fieldError('source', 'neither config.json nor generation_config.json has an eos_token_id');
}

function readContextLength(
  { folder: { config }, contextLength: defaultLength }: TextModel,
  spec: ChatSettings,
): number {
  const text = (config['text_config'] ?? config) as Readonly<Record<string, unknown>>;
  const max = text['max_position_embeddings'] ?? text['n_positions'];
  if (typeof max === 'number' && spec.contextLength !== undefined && spec.contextLength > max)
    throw fieldError('contextLength', `expected an integer from 1 to ${max}, got ${spec.contextLength}`);
  const length = spec.contextLength || defaultLength || statedContextLength(config);
  if (length !== undefined) return length;
  const names = contextLengthNames.join(', ');
  throw fieldError('contextLength', `config.json has none of ${names}, so it must be set`);
}

/** Prompts that are only counted may exceed the context. */
function previewLimit(place: string, contextLength: number): PromptLimit {
  const max = Math.max(contextLength, maxPreviewTokens);
  return {
    contextLength: max + 1,
    refuse: () => fieldError(place, `expected at most ${max} tokens to count`),
  };
}
