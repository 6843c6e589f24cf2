import { findModel } from '../call.ts';
import { toModel, toModelList, toModelParameters } from '../models.ts';
import { modelListSchema, modelParametersSchema, modelSchema } from '../models.ts';
import { jsonResponse } from '../responses.ts';
import type { Route } from '../route.ts';

/** `GET /models` */
export const listModels: Route = {
  method: 'GET',
  path: '/models',
  operationId: 'listModels',
  summary: 'All models of this service.',
  isInference: false,
  responses: { 'application/json': { name: 'ModelList', schema: modelListSchema } },
  errors: [],
  handle: async (call) => jsonResponse(200, toModelList(call.inference.models())),
};

/** `GET /models/{model_id}` */
export const getModel: Route = {
  method: 'GET',
  path: '/models/{model_id}',
  operationId: 'getModel',
  summary: 'One model.',
  isInference: false,
  responses: { 'application/json': { name: 'Model', schema: modelSchema } },
  errors: ['model_not_found'],
  handle: async (call) => jsonResponse(200, toModel(findModel(call, call.pathParameters['model_id']!))),
};

/** `GET /models/{model_id}/parameters` */
export const getModelParameters: Route = {
  method: 'GET',
  path: '/models/{model_id}/parameters',
  operationId: 'getModelParameters',
  summary: 'The parameters that requests to a model may set, with their bounds and defaults.',
  isInference: false,
  responses: { 'application/json': { name: 'ModelParameters', schema: modelParametersSchema } },
  errors: ['model_not_found'],
  handle: async (call) =>
    jsonResponse(200, toModelParameters(findModel(call, call.pathParameters['model_id']!))),
};
