import { z } from 'zod';
import { chatParameters } from '../categories/chat/parameters.ts';
import { detectionParameters } from '../categories/detection/parameters.ts';
import { embeddingParameters } from '../categories/embedding/parameters.ts';
import { imageParameters } from '../categories/image/parameters.ts';
import { speechParameters } from '../categories/speech/parameters.ts';
import { transcriptionParameters } from '../categories/transcription/parameters.ts';
import { toWireName, type ParameterDescriptor, type ParameterTable } from '../core/parameters/descriptor.ts';
import type { Category, ModelInfo } from '../categories/contract.ts';
import { defaultVoice } from '../categories/speech/wire/voices.ts';

/** A model, as `GET /models/{model_id}` shows it. */
export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  category: z.string(),
  context_length: z.int(),
});

/** The answer of `GET /models`. */
export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

const scalar = z.union([z.number(), z.boolean(), z.string()]);

const parameterDescriptorSchema = z.object({
  type: z.enum(['float', 'int', 'boolean', 'string']),
  min: z.number().optional(),
  max: z.number().optional(),
  default: scalar.optional(),
  step: z.number().optional(),
  section: z.enum(['basic', 'advanced']),
  description: z.string(),
});

/** The answer of `GET /models/{model_id}/parameters`. */
export const modelParametersSchema = z.object({
  model_id: z.string(),
  model_name: z.string(),
  category: z.string(),
  context_length: z.int(),
  parameters: z.record(z.string(), parameterDescriptorSchema),
});

/** A model as clients see it. */
export type WireModel = z.infer<typeof modelSchema>;
/** The parameters of a model as clients see them. */
export type ModelParameters = z.infer<typeof modelParametersSchema>;

const parameterTables: Readonly<Record<Category, ParameterTable>> = {
  chat: chatParameters,
  detection: detectionParameters,
  embedding: embeddingParameters,
  image: imageParameters,
  speech: speechParameters,
  transcription: transcriptionParameters,
};

/**
 * What is known about a model → its wire form.
 *
 * @example
 * ```ts
 * inference.models().map(toModel);
 * ```
 */
export function toModel(model: ModelInfo): WireModel {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    category: model.category,
    context_length: model.contextLength,
  };
}

/**
 * All models → the answer of `GET /models`.
 *
 * @example
 * ```ts
 * toModelList(inference.models()).object; // 'list'
 * ```
 */
export function toModelList(models: readonly ModelInfo[]): z.infer<typeof modelListSchema> {
  return { object: 'list', data: models.map(toModel) };
}

/**
 * Which parameters a model takes, within the limits of the model.
 *
 * @example
 * ```ts
 * toModelParameters(inference.models()[0]!).parameters['temperature']?.max; // 2
 * ```
 */
export function toModelParameters(model: ModelInfo): ModelParameters {
  const foreign = new Set(model.foreignParameters);
  const table = Object.entries(parameterTables[model.category]).filter(([name]) => !foreign.has(name));
  const parameters = table.map(([name, descriptor]): [string, ParameterDescriptor] => [
    toWireName(name),
    narrowed(name, descriptor, model),
  ]);
  return {
    model_id: model.id,
    model_name: model.name,
    category: model.category,
    context_length: model.contextLength,
    parameters: Object.fromEntries(parameters) as ModelParameters['parameters'],
  };
}

/** No more tokens are offered than fit into the context, and no sizes and voices that the model doesn't have. */
function narrowed(name: string, descriptor: ParameterDescriptor, model: ModelInfo): ParameterDescriptor {
  switch (name) {
    case 'maxTokens':
      return limitedTo(model.contextLength, descriptor);
    case 'dimensions':
      return { ...descriptor, ...model.vectorSizes };
    case 'imageSize':
      return { ...descriptor, ...model.imageSizes };
    case 'voice':
      return { ...descriptor, default: defaultVoice(model) };
    default:
      return descriptor;
  }
}

/** @param limit 0 where it is not known */
function limitedTo(limit: number, descriptor: ParameterDescriptor): ParameterDescriptor {
  if (limit === 0) return descriptor;
  const { max = limit, default: byDefault } = descriptor;
  return {
    ...descriptor,
    max: Math.min(max, limit),
    ...(typeof byDefault === 'number' ? { default: Math.min(byDefault, limit) } : {}),
  };
}
