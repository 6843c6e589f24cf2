import { inSlices, Turns } from '../../../concurrency/in-slices.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { assertDimensions, truncateVector } from '../../../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../../../core/embedding/normalize.ts';
import { quote } from '../../../core/text/quote.ts';
import { limitEdges } from '../../../core/vision/edge-limits.ts';
import {
  contextLengthError,
  fieldError,
  inField,
  renameFields,
  whileWanted,
  type InferenceError,
} from '../../../errors.ts';
import type { TextTokenizer } from '../../../contracts/text-model.ts';
import { SequenceBatcher, defaultBatchLimits } from '../../../runtime/encoder/sequence-batcher.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import type { OpenedImage } from '../../../runtime/image.ts';
import type { EmbeddingEvent, EmbeddingModelInfo } from '../events.ts';
import { assertTexts, type Encoder, type Picture, type TokenSequence } from '../encoder.ts';
import type { EmbeddingRequest } from '../request.ts';
import type { EmbeddingSettings } from '../settings.ts';
import { servePipeline } from '../../serve-pipeline.ts';

interface TokenSequenceOptions {
  readonly tokenizer: TextTokenizer;
  /** Token ids are below it. */
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Prefix of every text; token ids get no prefix. */
  readonly prompt: string;
  /** Truncate longer inputs; otherwise reject them. */
  readonly truncate: boolean;
  /** The input's name in errors. */
  readonly param: string;
}

/** Texts with more characters per token of context are rejected without encoding. */
const maxCharactersPerToken = 32;

/** A text gets the model's special tokens, even if truncated. */
export function toTokenSequence(
  input: string | readonly number[],
  options: TokenSequenceOptions,
): TokenSequence {
  return typeof input === 'string' ? encodeText(input, options) : checkIds(input, options);
}

function encodeText(text: string, options: TokenSequenceOptions): TokenSequence {
  const { tokenizer, contextLength, prompt, truncate, param } = options;
  const { before, after } = tokenizer.frame;
  const room = contextLength - before.length - after.length;
  const maxCharacters = contextLength * maxCharactersPerToken;
  // Encoding costs time per character, and callers control the length.
  if (text.length > maxCharacters && !truncate)
    throw tooLong(param, `the text has ${text.length} characters`, contextLength);
  const body = tokenizer.encode(prompt + text.slice(0, maxCharacters));
  if (body.length > room && !truncate)
    throw tooLong(param, `the text has ${body.length + before.length + after.length} tokens`, contextLength);
  const ids = [...before, ...(body.length > room ? body.slice(0, room) : body), ...after];
  if (ids.length === 0) throw fieldError(param, 'expected a text with at least one token');
  const promptTokens = prompt === '' ? 0 : before.length + tokenizer.encode(prompt).length;
  return { ids, promptTokens: Math.min(promptTokens, ids.length - 1) };
}

function checkIds(ids: readonly number[], options: TokenSequenceOptions): TokenSequence {
  const { vocabularySize, contextLength, truncate, param } = options;
  const unknown = ids.find((id) => id >= vocabularySize);
  if (unknown !== undefined)
    throw fieldError(param, `expected token ids below ${vocabularySize}, got ${unknown}`);
  if (ids.length > contextLength && !truncate)
    throw tooLong(param, `there are ${ids.length} tokens`, contextLength);
  return { ids: ids.slice(0, contextLength), promptTokens: 0 };
}

function tooLong(param: string, found: string, contextLength: number): InferenceError {
  return contextLengthError(param, contextLength, `${param}: ${found}; shorten it or set truncate to true`);
}

export async function loadEmbeddingPipeline(
  spec: ModelSpec<EmbeddingSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Encoder, EmbeddingSettings>,
): Promise<Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>> {
  const encoder = await architecture.open(spec, sessions);
  const { contextLength, dimensions: full } = encoder;
  const shorter = spec.matryoshkaDimensions ?? encoder.matryoshkaDimensions ?? [];
  const { maxBatchTokens: maxTokens = defaultBatchLimits.maxTokens, normalize = true } = spec;
  const batcher = new SequenceBatcher(encoder, { ...defaultBatchLimits, maxTokens });
  const turns = new Turns();
  const onePicture = limitConcurrency(1, 1);
  const { openImage } = encoder.encodePicture ? await import('../../../runtime/image.ts') : {};

  return servePipeline(spec, {
    /** Enough waiting texts for full batches. */
    concurrency: 64,
    /** Slots for more owners. */
    reserve: 64,
    info: {
      category: 'embedding',
      contextLength,
      vectorSizes: { default: full, min: shorter === 'any' ? 1 : Math.min(full, ...shorter), max: full },
      created: encoder.created,
    },
    async *run(request, options) {
      assertTexts(request, spec);
      const { dimensions = full } = request;
      inField('dimensions', () => assertDimensions(dimensions, { full, shorter }));
      const isPicture = (input: unknown): boolean =>
        encoder.encodePicture !== undefined && typeof input === 'string' && /^data:image\//i.test(input);
      const { owner, signal } = options;
      const encoded = inSlices(encodeTexts(encoder, request, isPicture), { turns, owner, signal });
      const sequences = await whileWanted(signal, encoded);
      const texts = (await batcher.encode(sequences, options)).values();
      const vectors: Float32Array[] = [];
      for (const [index, input] of request.inputs.entries()) {
        if (isPicture(input)) {
          const embed = async (): Promise<Float32Array> => {
            const image = readImageSource(String(input)).then((bytes) => openImage!(bytes));
            const picture = await readPicture(image, encoder.maxSide, paramOf(request, index));
            return encoder.encodePicture!(picture, signal);
          };
          vectors.push(await onePicture(embed, options));
        } else vectors.push(texts.next().value!);
      }
      yield {
        type: 'embeddings',
        embeddings: vectors.map((vector) => {
          const cut = truncateVector(vector, dimensions);
          return normalize ? normalizeInPlace(cut) : cut;
        }),
        promptTokens: sequences.reduce((sum, { ids }) => sum + ids.length, 0),
      };
    },
    models: [encoder],
  });
}

function* encodeTexts(
  { tokenizer, contextLength, prompts, defaultPrompt, vocabularySize = tokenizer.vocabularySize }: Encoder,
  request: EmbeddingRequest,
  isPicture: (input: unknown) => boolean,
): Generator<void, TokenSequence[]> {
  const { truncate, inputs } = request;
  const prompt = choosePrompt(request, prompts ?? new Map(), defaultPrompt);
  const sequences: TokenSequence[] = [];
  for (const [index, input] of inputs.entries()) {
    if (isPicture(input)) continue;
    const param = paramOf(request, index);
    const options = { tokenizer, vocabularySize, contextLength, prompt, truncate, param };
    sequences.push(toTokenSequence(input, options));
    yield;
  }
  return sequences;
}

function choosePrompt(
  { promptName, inputs }: EmbeddingRequest,
  prompts: ReadonlyMap<string, string>,
  defaultPrompt: string | undefined,
): string {
  const name = promptName ?? defaultPrompt;
  if (name === undefined) return '';
  const prompt = prompts.get(name);
  if (prompt === undefined) {
    const offered = [...prompts.keys()].join(', ');
    const expected = offered === '' ? 'none, since the model defines none' : `one of ${offered}`;
    throw fieldError('prompt_name', `expected ${expected}, got ${quote(name)}`);
  }
  if (promptName !== undefined && typeof inputs[0] !== 'string')
    throw fieldError('prompt_name', 'expected texts in `input` with it, got token ids');
  return prompt;
}

function paramOf({ isList }: EmbeddingRequest, index: number): string {
  return isList ? `input[${index}]` : 'input';
}

/** @param maxSide max pixels of the longer side; a larger image is scaled down */
async function readPicture(
  opened: Promise<OpenedImage>,
  maxSide: number | undefined,
  param: string,
): Promise<Picture> {
  try {
    const image = await opened;
    const size = limitEdges(image, maxSide ?? Infinity);
    return { ...size, pixels: await image.toPixels(size) };
  } catch (error) {
    throw renameFields(error, (field) => (field === 'image' ? param : field));
  }
}
