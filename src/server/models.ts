import { z } from 'zod';
import { toWireName, type ParameterDescriptor } from '../core/parameters/descriptor.ts';
import type { CategoryRegistry } from '../contracts/category.ts';
import { loadPhases, modelStates } from '../core/model-states.ts';
import type { ModelInfo, ModelStatus } from '../contracts/model.ts';
import type { Route, RouteCall } from '../contracts/endpoint.ts';
import type { ApiResponse } from '../contracts/http.ts';
import { jsonResponse } from '../http/responses.ts';

export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string().meta({ description: 'The publisher, or `remote` for a remote model.' }),
  name: z.string(),
  category: z.string(),
  context_length: z.int().optional().meta({
    description: 'Tokens; 0 without text, absent while unknown.',
  }),
  input_modalities: z
    .array(z.enum(['text', 'image']))
    .optional()
    .meta({ description: 'Kinds of input; absent while unknown.' }),
  tool_calls: z
    .object({
      format: z.string().meta({ description: 'Its name; `template` if derived from the chat template.' }),
      origin: z.enum(['template', 'row', 'setting']).meta({ description: 'Source of the notation.' }),
      example: z.string().meta({ description: 'A call as the model writes it.' }),
      notations: z
        .array(z.record(z.string(), z.unknown()))
        .meta({ description: 'Parsed notations, in the form of the setting `toolCallFormat`.' }),
    })
    .optional()
    .meta({ description: 'How a loaded model writes tool calls; not in the list of models.' }),
  demo: z
    .boolean()
    .optional()
    .meta({ description: 'Set for bundled models, which know nothing beyond the description.' }),
  description: z.string().optional().meta({ description: 'The world of a demo model.' }),
  replacement: z
    .string()
    .optional()
    .meta({ description: 'A real model to replace it, for `slashv1 serve --model`.' }),
  state: z.enum(modelStates).optional(),
  progress: z
    .object({
      phase: z.enum(loadPhases),
      received_bytes: z
        .int()
        .optional()
        .meta({ description: 'Size of its download; absent without a download.' }),
      total_bytes: z.int().optional().meta({ description: 'Absent if unknown.' }),
    })
    .optional()
    .meta({ description: 'Progress while the model is `loading`, if known.' }),
});

const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

const value = z.union([z.number(), z.boolean(), z.string()]);

const parameterDescriptorSchema = z.object({
  type: z.enum(['float', 'int', 'boolean', 'string']),
  min: z.number().optional(),
  max: z.number().optional(),
  default: value.optional(),
  step: z.number().optional(),
  section: z.enum(['basic', 'advanced']),
  description: z.string(),
});

export const modelParametersSchema = z.object({
  model_id: z.string(),
  model_name: z.string(),
  category: z.string(),
  context_length: modelSchema.shape.context_length,
  parameters: z.record(z.string(), parameterDescriptorSchema),
});

/** A model as clients see it. */
export type WireModel = z.infer<typeof modelSchema>;
/** The parameters of a model as clients see them. */
export type ModelParameters = z.infer<typeof modelParametersSchema>;

/**
 * A model → its wire form.
 *
 * @param status absent if unknown
 * @example
 * ```ts
 * inference.models().map((model) => toModel(model));
 * ```
 */
export function toModel(
  model: ModelInfo,
  { state, progress }: Partial<Pick<ModelStatus, 'state' | 'progress'>> = {},
): WireModel {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    category: model.category,
    context_length: model.contextLength,
    ...(model.inputModalities ? { input_modalities: [...model.inputModalities] } : {}),
    ...(model.demo
      ? { demo: true, description: model.demo.description, replacement: model.demo.replacement }
      : {}),
    ...(state === undefined ? {} : { state }),
    ...(progress && {
      progress: {
        phase: progress.phase,
        received_bytes: progress.receivedBytes,
        total_bytes: progress.totalBytes,
      },
    }),
  };
}

/**
 * All models → the answer of `GET /models`.
 *
 * @example
 * ```ts
 * toModelList(inference.models(), inference.status()).object; // 'list'
 * ```
 */
export function toModelList(
  models: readonly ModelInfo[],
  status: readonly ModelStatus[] = [],
): z.infer<typeof modelListSchema> {
  const statuses = new Map(status.map((one) => [one.id, one]));
  return { object: 'list', data: models.map((model) => toModel(model, statuses.get(model.id))) };
}

/** Without lists: descriptions have no type for them. */
export function toModelParameters(model: ModelInfo, categories: CategoryRegistry): ModelParameters {
  const category = categories.get(model.category);
  const foreign = new Set(model.foreignParameters);
  const bounds = category?.parameterBounds?.(model) ?? {};
  const { defaults = {} } = model;
  const parameters = Object.entries(category?.parameters ?? {})
    .filter(([name, { type }]) => !foreign.has(name) && type !== 'strings')
    .map(([name, descriptor]): [string, ParameterDescriptor] => [
      toWireName(name),
      {
        ...descriptor,
        ...bounds[name],
        ...(Object.hasOwn(defaults, name) ? { default: defaults[name] as number } : {}),
      },
    ]);
  return {
    model_id: model.id,
    model_name: model.name,
    category: model.category,
    context_length: model.contextLength,
    parameters: Object.fromEntries(parameters) as ModelParameters['parameters'],
  };
}

const model = { 'application/json': { name: 'Model', schema: modelSchema } };
const summaries = {
  load: 'Load a model, and answer when it is ready. Requires a plan with `controlsModels`.',
  unload: 'Free the memory of a model when its requests have ended. The next request loads it again.',
} as const;

function describe({ findModel, status, pathParameters }: RouteCall): ApiResponse {
  const found = findModel(pathParameters['model_id']!);
  const own = status().find(({ id }) => id === found.id);
  const { toolCalls } = found;
  const notations = toolCalls?.notations.map((notation) => ({ ...notation, origin: undefined }));
  return jsonResponse(200, {
    ...toModel(found, own),
    ...(toolCalls && { tool_calls: { ...toolCalls, notations } }),
  });
}

export function modelRoutes(categories: CategoryRegistry): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/models',
      operationId: 'listModels',
      summary: 'All models of this service.',
      responses: { 'application/json': { name: 'ModelList', schema: modelListSchema } },
      errors: [],
      handle: async ({ models, status }) => jsonResponse(200, toModelList(models(), status())),
    },
    {
      method: 'GET',
      path: '/models/{model_id}/parameters',
      operationId: 'getModelParameters',
      summary: "The parameters of a model's requests, with bounds and defaults.",
      responses: { 'application/json': { name: 'ModelParameters', schema: modelParametersSchema } },
      errors: ['model_not_found'],
      handle: async ({ findModel, pathParameters }) =>
        jsonResponse(200, toModelParameters(findModel(pathParameters['model_id']!), categories)),
    },
    ...(['load', 'unload'] as const).map((verb): Route => ({
      method: 'POST',
      path: `/models/{model_id}/${verb}`,
      operationId: `${verb}Model`,
      summary: summaries[verb],
      responses: model,
      errors: [
        'invalid_request',
        'unsupported_feature',
        'upgrade_required',
        'model_not_found',
        'overloaded',
        'worker_failed',
      ],
      async handle(call) {
        const id = call.pathParameters['model_id']!;
        await call.control(id)[verb](id);
        return describe(call);
      },
    })),
    {
      method: 'GET',
      path: '/models/{model_id}',
      operationId: 'getModel',
      summary: 'One model.',
      responses: model,
      errors: ['model_not_found'],
      handle: async (call) => describe(call),
    },
  ];
}
