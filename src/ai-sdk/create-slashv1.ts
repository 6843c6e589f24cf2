import {
  createOpenAICompatible,
  type MetadataExtractor,
  type OpenAICompatibleProvider,
} from '@ai-sdk/openai-compatible';
import { NoSuchModelError } from '@ai-sdk/provider';
import { toFetch } from '../../adapters/fetch.ts';
import { chatRequestSchema } from '../categories/chat/wire/chat/schema.ts';
import { embeddingRequestSchema } from '../categories/embedding/wire/bodies.ts';
import { imageParameters } from '../categories/image/parameters.ts';
import { imageRequestSchema } from '../categories/image/wire/schema.ts';
import type { ServedInference } from '../contracts/engine.ts';
import type { CallOptions } from '../contracts/run.ts';
import { assertNames } from '../core/assert-names.ts';
import { createHandler } from '../create-handler.ts';
import { addFields, withOptions, type Serve } from './fields.ts';
import { createOwnModels } from './own-models.ts';

interface Answer {
  readonly choices?: readonly { readonly logprobs?: { readonly content: readonly never[] | null } | null }[];
}

/** Log probabilities as `providerMetadata.slashv1.logprobs`, which the SDK's provider drops. */
const logprobsExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => toMetadata(logprobsOf(parsedBody)),
  createStreamExtractor() {
    const logprobs: never[] = [];
    return {
      processChunk: (chunk) => void logprobs.push(...logprobsOf(chunk)),
      buildMetadata: () => toMetadata(logprobs),
    };
  },
};

const logprobsOf = (body: unknown): readonly never[] =>
  (body as Answer).choices?.[0]?.logprobs?.content ?? [];

function toMetadata(logprobs: readonly never[]) {
  return logprobs.length === 0 ? undefined : { slashv1: { logprobs: [...logprobs] } };
}

/** Options of all SDK calls of a provider. */
export type Slashv1Options = Pick<CallOptions, 'owner' | 'sharesPrefixes' | 'deadlineMs' | 'origin'>;

/**
 * The models of an inference for functions of the AI SDK. Calling it returns a language model. Methods throw `NoSuchModelError`
 * for an unknown id or a model of the wrong category.
 */
export type Slashv1Provider = ((modelId: string) => ReturnType<OpenAICompatibleProvider['languageModel']>) &
  Pick<OpenAICompatibleProvider, 'specificationVersion' | 'languageModel' | 'embeddingModel' | 'imageModel'> &
  Required<Pick<OpenAICompatibleProvider, 'transcriptionModel' | 'speechModel' | 'rerankingModel'>>;

type ModelType = ConstructorParameters<typeof NoSuchModelError>[0]['modelType'];

/** Placeholder: requests stay in this process. */
const baseURL = 'http://slashv1.invalid/v1';

/**
 * Creates the provider of an inference: its models run in this service, without a socket.
 *
 * @param inference the models
 * @param options of all calls; set `owner` for a provider per user
 * @returns a provider of the AI SDK, in the version of the installed `@ai-sdk/openai-compatible`
 * @throws TypeError for an unknown option
 * @example
 * ```ts
 * const slashv1 = createSlashv1(createFakeInference({ models: ['tiny-chat'] }));
 * slashv1('tiny-chat').provider; // 'slashv1.chat'
 * ```
 */
export function createSlashv1(inference: ServedInference, options: Slashv1Options = {}): Slashv1Provider {
  assertNames('createSlashv1', options, ['owner', 'sharesPrefixes', 'deadlineMs', 'origin']);
  const serve = serverOf(inference, options);
  const compatible = createOpenAICompatible({
    name: 'slashv1',
    baseURL,
    fetch: serve,
    includeUsage: true,
    supportsStructuredOutputs: true,
    supportsMultiPartToolContent: true,
    supportedUrls: () => ({ 'image/*': [/^https?:/] }),
    metadataExtractor: logprobsExtractor,
  });
  const own = createOwnModels(serve, baseURL, compatible.specificationVersion);
  const of =
    <Model>(category: string, modelType: ModelType, create: (modelId: string) => Model) =>
    (modelId: string): Model => {
      const model = inference.models().find(({ id }) => id === modelId);
      // Some models have no known category until they are loaded.
      if (model?.category !== category && model?.category !== 'unknown')
        throw new NoSuchModelError({ modelId, modelType });
      return create(modelId);
    };
  const languageModel = of('chat', 'languageModel', (id) =>
    withOptions(compatible(id), ['doGenerate', 'doStream'], chatRequestSchema, ({ topK, ...call }) => [
      call,
      { top_k: topK },
    ]),
  );
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: compatible.specificationVersion,
    languageModel,
    embeddingModel: of('embedding', 'embeddingModel', (id) =>
      withOptions(compatible.embeddingModel(id), ['doEmbed'], embeddingRequestSchema, (call) => [call]),
    ),
    imageModel: of('image', 'imageModel', (id) => {
      const model = Object.create(compatible.imageModel(id), {
        maxImagesPerCall: { value: imageParameters.n.max },
      }) as ReturnType<typeof compatible.imageModel>;
      return withOptions(model, ['doGenerate'], imageRequestSchema, ({ seed, ...call }) => [
        { ...call, seed: undefined },
        { seed },
      ]);
    }),
    transcriptionModel: of('transcription', 'transcriptionModel', own.transcriptionModel),
    speechModel: of('speech', 'speechModel', own.speechModel),
    rerankingModel: of('rerank', 'rerankingModel', own.rerankingModel),
  });
}

/** The API of an inference as a `fetch`, without limits, since callers are trusted. */
function serverOf(inference: ServedInference, options: Slashv1Options): Serve {
  const unlimited = Number.MAX_SAFE_INTEGER;
  const gate = { count: unlimited, countPerKey: unlimited };
  const handler = createHandler(
    { ...inference, run: (category, request, of) => inference.run(category, request, { ...of, ...options }) },
    {
      auth: 'none',
      maxBodyBytes: unlimited,
      maxUploadBytes: unlimited,
      bodies: gate,
      uploads: gate,
      onError: () => {},
    },
  );
  const answer = toFetch(handler);
  return async (url, init) => {
    const body = typeof init?.body === 'string' ? addFields(init.body) : init?.body;
    const response = await answer(new Request(url, { ...init, body: body ?? null }));
    init?.signal?.throwIfAborted();
    return response;
  };
}
