import type { CategoryRegistry } from '../../contracts/category.ts';
import type { Route } from '../../contracts/endpoint.ts';
import {
  modelListSchema,
  modelParametersSchema,
  modelSchema,
  toModel,
  toModelList,
  toModelParameters,
} from '../models.ts';
import { jsonResponse } from '../responses.ts';

/** `GET /models`, `GET /models/{model_id}/parameters` and `GET /models/{model_id}`. */
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
    {
      method: 'GET',
      path: '/models/{model_id}',
      operationId: 'getModel',
      summary: 'One model.',
      responses: { 'application/json': { name: 'Model', schema: modelSchema } },
      errors: ['model_not_found'],
      async handle({ findModel, status, pathParameters }) {
        const model = findModel(pathParameters['model_id']!);
        return jsonResponse(200, toModel(model, status().find(({ id }) => id === model.id)?.state));
      },
    },
  ];
}
