import type { CategoryRegistry } from '../../contracts/category.ts';
import type { Route, RouteCall } from '../../contracts/endpoint.ts';
import type { ApiResponse } from '../../contracts/http.ts';
import {
  modelListSchema,
  modelParametersSchema,
  modelSchema,
  toModel,
  toModelList,
  toModelParameters,
} from '../models.ts';
import { jsonResponse } from '../../http/responses.ts';

const model = { 'application/json': { name: 'Model', schema: modelSchema } };
const summaries = {
  load: 'Load a model, and answer when it is ready. Only for keys whose plan has `controlsModels`.',
  unload: 'Release the memory of a model when its requests have ended. The next request loads it again.',
} as const;

function describe({ findModel, status, pathParameters }: RouteCall): ApiResponse {
  const found = findModel(pathParameters['model_id']!);
  const own = status().find(({ id }) => id === found.id);
  return jsonResponse(200, toModel(found, own));
}

/** The list of models, one model, its parameters, and the loading and unloading of it. */
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
      summary: 'The parameters that requests to a model may set, with their bounds and defaults.',
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
