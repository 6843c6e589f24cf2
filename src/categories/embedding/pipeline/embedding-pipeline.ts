import type { EmbeddingSettings } from '../settings.ts';
import { setImmediate } from 'node:timers/promises';
import { assertDimensions, truncateVector, type VectorSizes } from '../../../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../../../core/embedding/normalize.ts';
import { assertWanted, fieldError, fieldErrorOf } from '../../../errors.ts';
import { openEmbeddingFolder, type EmbeddingFolder } from './embedding-folder.ts';
import { locateModel } from '../../../models/source.ts';
import { createTextTokenizer, type TextTokenizer } from '../../../models/tokenizer.ts';
import type { EmbeddingEvent, EmbeddingModelInfo } from '../events.ts';
import { assertTexts, type EmbeddingRequest } from '../request.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../contract.ts';
import type { EncodingModel, SessionBackend } from '../../../backends/contract.ts';
import { createEncoder, type Encoder } from './encoder.ts';
import { SequenceBatcher } from '../../../runtime/encoder/sequence-batcher.ts';
import { toTokenSequence, type TokenSequence } from './token-sequence.ts';
import { quote } from '../../../core/text/quote.ts';

/** Enough waiting texts for full batches. */
const concurrency = 64;
const defaultMaxBatchTokens = 4096;
const maxRows = 256;
/** Fixed cost of a run, counted in tokens. */
const batchCost = 32;
/** Characters that are encoded before others get their turn. */
const charactersPerTurn = 32 * 1024;

/**
 * Loads an embedding model: an encoder in the hub's ONNX layout, with or without the config files of
 * sentence-transformers.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadEmbeddingPipeline(
  spec: ModelSpec<EmbeddingSettings>,
  backend: SessionBackend,
): Promise<Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>> {
  const { maxBatchTokens = defaultMaxBatchTokens } = spec;
  if (!Number.isSafeInteger(maxBatchTokens) || maxBatchTokens < 1) {
    throw fieldError('maxBatchTokens', `expected an integer of at least 1, got ${maxBatchTokens}`);
  }
  if (backend.openTextEncoder)
    return openEngineModel(spec, await backend.openTextEncoder(spec), maxBatchTokens);
  const folder = await openEmbeddingFolder(locateModel(spec.source), {
    dtype: spec.dtype,
    hasGraphs: backend.hasGraphs,
  });
  const contextLength = readContextLength(folder, spec);
  const tokenizer = createTextTokenizer(folder);
  const session = await backend.openSession({ graph: folder.graph }, spec);
  try {
    const pooling = spec.pooling ?? (hasOwnPooling(session.outputs) ? undefined : folder.pooling);
    if (folder.furtherModules.length > 0 && (pooling || !hasOwnPooling(session.outputs))) {
      throw fieldError(
        'source',
        `the model's modules ${folder.furtherModules.join(', ')} are not in its graph, which has no output sentence_embedding`,
      );
    }
    const encoder = await createEncoder(session, { pooling, poolsPrompt: folder.poolsPrompt });
    return new EmbeddingPipeline({ spec, folder, tokenizer, contextLength, encoder, maxBatchTokens });
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** A model whose engine does the pooling. */
async function openEngineModel(
  spec: ModelSpec<EmbeddingSettings>,
  model: EncodingModel,
  maxBatchTokens: number,
): Promise<EmbeddingPipeline> {
  try {
    const { tokenizer } = model;
    const contextLength = readContextLength(model, spec);
    const encoder = await model.openEncoder({
      contextLength,
      maxTokens: maxBatchTokens,
      pooling: spec.pooling,
    });
    const folder = {
      ...model.folder,
      prompts: new Map(),
      defaultPrompt: undefined,
      matryoshkaDimensions: [],
    };
    return new EmbeddingPipeline({ spec, folder, tokenizer, contextLength, encoder, maxBatchTokens });
  } catch (error) {
    await model.release?.();
    throw error;
  }
}

interface LoadedModel {
  readonly spec: ModelSpec<EmbeddingSettings>;
  readonly folder: Pick<
    EmbeddingFolder,
    'config' | 'created' | 'prompts' | 'defaultPrompt' | 'matryoshkaDimensions'
  >;
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly encoder: Encoder;
  readonly maxBatchTokens: number;
}

class EmbeddingPipeline implements Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo> {
  readonly concurrency = concurrency;
  readonly info: EmbeddingModelInfo;
  readonly #model: LoadedModel;
  readonly #batcher: SequenceBatcher<TokenSequence>;
  readonly #sizes: VectorSizes;
  readonly #vocabularySize: number;

  constructor(model: LoadedModel) {
    const { spec, folder, tokenizer, contextLength, encoder, maxBatchTokens } = model;
    this.#model = model;
    this.#batcher = new SequenceBatcher(encoder, { maxTokens: maxBatchTokens, maxRows, batchCost });
    const full = encoder.dimensions;
    const shorter = spec.matryoshkaDimensions ?? folder.matryoshkaDimensions;
    this.#sizes = { full, shorter };
    const vocabularySize = folder.config['vocab_size'];
    this.#vocabularySize = typeof vocabularySize === 'number' ? vocabularySize : tokenizer.vocabularySize;
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'embedding',
      contextLength,
      vectorSizes: { default: full, min: shorter === 'any' ? 1 : Math.min(full, ...shorter), max: full },
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  async *run(request: EmbeddingRequest, { signal }: RunOptions = {}): AsyncGenerator<EmbeddingEvent> {
    assertTexts(request, this.#model.spec);
    const dimensions = request.dimensions ?? this.#sizes.full;
    try {
      assertDimensions(dimensions, this.#sizes);
    } catch (error) {
      throw fieldErrorOf('dimensions', error);
    }
    const sequences = await this.#encode(request, signal);
    const vectors = await this.#batcher.encode(sequences, signal);
    const normalize = this.#model.spec.normalize ?? true;
    yield {
      type: 'embeddings',
      embeddings: vectors.map((vector) => {
        const cut = truncateVector(vector, dimensions);
        return normalize ? normalizeInPlace(cut) : cut;
      }),
      promptTokens: sequences.reduce((sum, { ids }) => sum + ids.length, 0),
    };
  }

  async close(): Promise<void> {
    await this.#batcher.idle();
    await this.#model.encoder.release();
  }

  async #encode(request: EmbeddingRequest, signal: AbortSignal | undefined): Promise<TokenSequence[]> {
    const { tokenizer, contextLength } = this.#model;
    const { truncate, isList, inputs } = request;
    const prompt = this.#promptOf(request);
    const sequences: TokenSequence[] = [];
    let characters = 0;
    for (const [index, input] of inputs.entries()) {
      if (characters > charactersPerTurn) {
        characters = 0;
        await setImmediate();
        assertWanted(signal);
      }
      const param = isList ? `input[${index}]` : 'input';
      const vocabularySize = this.#vocabularySize;
      const options = { tokenizer, vocabularySize, contextLength, prompt, truncate, param };
      sequences.push(toTokenSequence(input, options));
      characters += input.length;
    }
    return sequences;
  }

  #promptOf({ promptName, inputs }: EmbeddingRequest): string {
    const { prompts, defaultPrompt } = this.#model.folder;
    const name = promptName ?? defaultPrompt;
    if (name === undefined) return '';
    const prompt = prompts.get(name);
    if (prompt === undefined) {
      const offered = [...prompts.keys()].join(', ');
      const expected = offered === '' ? 'none, since the model defines none' : `one of ${offered}`;
      throw fieldError('prompt_name', `expected ${expected}, got ${quote(name)}`);
    }
    if (promptName !== undefined && typeof inputs[0] !== 'string') {
      throw fieldError('prompt_name', 'expected texts in `input` where it is given, got token ids');
    }
    return prompt;
  }
}

function hasOwnPooling(outputs: readonly { readonly name: string }[]): boolean {
  return outputs.some(({ name }) => name === 'sentence_embedding');
}

function readContextLength(
  folder: Pick<EmbeddingFolder, 'contextLength'>,
  spec: ModelSpec<EmbeddingSettings>,
): number {
  const length = spec.contextLength ?? folder.contextLength;
  if (length === undefined) {
    throw fieldError('contextLength', 'no config file of the model has it, so it has to be given');
  }
  if (Number.isSafeInteger(length) && length >= 4) return length;
  throw fieldError('contextLength', `expected an integer of at least 4, got ${length}`);
}
