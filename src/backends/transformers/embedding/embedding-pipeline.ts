import { join } from 'node:path';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { assertDimensions, truncateVector } from '../../../core/embedding/dimensions.ts';
import { normalizeInPlace } from '../../../core/embedding/normalize.ts';
import {
  assertWanted,
  contextLengthError,
  fieldError,
  fieldErrorOf,
  InferenceError,
} from '../../../errors.ts';
import { locateModel } from '../../../models/source.ts';
import { openImage } from '../../../runtime/image.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../../categories/contract.ts';
import type { EmbeddingEvent, EmbeddingModelInfo } from '../../../categories/embedding/events.ts';
import type { EmbeddingRequest } from '../../../categories/embedding/request.ts';
import type { EmbeddingSettings } from '../../../categories/embedding/settings.ts';
import { readChangeTime } from '../../../models/model-folder.ts';
import { loadPairedModel } from './embedding-model.ts';

const concurrency = 16;
/** Texts of one run. */
const batchSize = 16;
/** Larger pictures are made smaller first: the models read less than this. */
const longestSide = 1024;
const pictureUrl = /^data:image\//i;

/**
 * Loads a model of texts and pictures: CLIP, SigLIP or Jina CLIP. An input that is a `data:` URL of a picture is read as
 * that picture.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadTransformersEmbedding(
  spec: ModelSpec<EmbeddingSettings>,
): Promise<Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>> {
  if (spec.pooling !== undefined) {
    throw fieldError('pooling', 'the model has a pooling of its own');
  }
  const path = locateModel(spec.source);
  const model = await loadPairedModel(path, spec);
  const contextLength = Math.min(spec.contextLength ?? Infinity, model.contextLength);
  const [probe] = (await model.embedTexts(['a'])).vectors;
  const full = probe!.length;
  const shorter = spec.matryoshkaDimensions ?? [];
  const inTurn = limitConcurrency(1);
  const runs = new OpenRuns();

  async function* run(
    request: EmbeddingRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<EmbeddingEvent> {
    const dimensions = request.dimensions ?? full;
    try {
      assertDimensions(dimensions, { full, shorter });
    } catch (error) {
      throw fieldErrorOf('dimensions', error);
    }
    if (request.promptName !== undefined) {
      throw fieldError('prompt_name', 'expected none, since the model defines none');
    }
    const { pictures, texts } = sortInputs(request);
    const vectors: Float32Array[] = [];
    let promptTokens = 0;
    for (let at = 0; at < texts.length; at += batchSize) {
      const batch = texts.slice(at, at + batchSize);
      const made = await inTurn(() => {
        assertWanted(signal);
        return model.embedTexts(batch.map(({ text }) => text));
      });
      promptTokens += made.tokens;
      for (const [index, { place }] of batch.entries()) vectors[place] = made.vectors[index]!;
    }
    for (const { place, url, param } of pictures) vectors[place] = await embedPicture(url, param, signal);
    const normalize = spec.normalize ?? true;
    yield {
      type: 'embeddings',
      embeddings: vectors.map((vector) => {
        const cut = truncateVector(vector, dimensions);
        return normalize ? normalizeInPlace(cut) : cut;
      }),
      promptTokens,
    };
  }

  function sortInputs({ inputs, isList, truncate }: EmbeddingRequest) {
    const pictures: { readonly place: number; readonly url: string; readonly param: string }[] = [];
    const texts: { readonly place: number; readonly text: string }[] = [];
    for (const [place, input] of inputs.entries()) {
      const param = isList ? `input[${place}]` : 'input';
      if (typeof input !== 'string') {
        throw fieldError(param, 'expected a text for this model, got token ids', {
          code: 'unsupported_feature',
        });
      }
      if (pictureUrl.test(input) && model.embedPicture) pictures.push({ place, url: input, param });
      else {
        const tokens = model.countTokens(input);
        if (tokens > contextLength && !truncate) {
          throw contextLengthError(
            param,
            contextLength,
            `${param}: the text has ${tokens} tokens; shorten it or set truncate to true`,
          );
        }
        texts.push({ place, text: input });
      }
    }
    return { pictures, texts };
  }

  async function embedPicture(
    url: string,
    param: string,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array> {
    try {
      const image = await openImage(await readImageSource(url, { signal }));
      const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
      const size = {
        width: Math.max(1, Math.round(image.width * scale)),
        height: Math.max(1, Math.round(image.height * scale)),
      };
      const pixels = await image.toPixels(size);
      return await inTurn(() => {
        assertWanted(signal);
        return model.embedPicture!(pixels, size);
      });
    } catch (error) {
      if (!InferenceError.isInstance(error) || error.param !== 'image') throw error;
      throw fieldError(param, error.message.slice('image: '.length).replace(/\.$/, ''), { cause: error });
    }
  }

  return {
    concurrency,
    info: {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'embedding',
      contextLength,
      vectorSizes: { default: full, min: shorter === 'any' ? 1 : Math.min(full, ...shorter), max: full },
      created: await readChangeTime(join(path, 'config.json')),
      ownedBy: 'slashv1',
    },
    run: (request, { signal }: RunOptions = {}) => runs.track(run(request, signal)),
    async close() {
      await runs.ended();
      await model.release();
    },
  };
}
