import { z } from 'zod';
import type {
  ErrorBody,
  NamedSchema,
  RouteDescription,
  SocketMessages,
  Route,
} from '../contracts/endpoint.ts';
import type { ModelInfo } from '../contracts/model.ts';
import type { ErrorCode } from '../errors.ts';
import { describeFields, type Descriptions } from '../validation/describe-fields.ts';
import { toJsonSchema, type JsonSchema } from '../validation/json-schema.ts';
import { wireErrors } from '../http/error-responses.ts';
import { jsonTextResponse } from '../http/responses.ts';

export function createOpenApiRoute(others: readonly DescribedRoute[]): Route {
  let last: { readonly ids: string; readonly text: string } | undefined;
  const route: Route = {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document.',
    responses: { 'application/json': { name: 'OpenApi', schema: z.record(z.string(), z.unknown()) } },
    errors: [],
    async handle(call) {
      const models = call.models();
      const ids = JSON.stringify(models.map(({ id, category }) => [id, category]));
      if (last?.ids !== ids) {
        const document = toOpenApi([...others, { ...route, isInference: false }], models);
        last = { ids, text: JSON.stringify(document) };
      }
      return jsonTextResponse(200, last.text);
    },
  };
  return route;
}

/** All four keys are always present. */
const errorBodySchema: z.ZodType<ErrorBody> = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
  }),
});

const errorBody: NamedSchema = { name: 'Error', schema: errorBodySchema };

export type DescribedRoute = RouteDescription & { readonly isInference: boolean };

const everywhere: readonly ErrorCode[] = ['authentication_failed', 'internal', 'overloaded'];

const onInference: readonly ErrorCode[] = [
  'invalid_request',
  'quota_exceeded',
  'upgrade_required',
  'model_not_found',
  'request_timeout',
  'request_too_large',
  'unsupported_media_type',
  'rate_limited',
  'worker_failed',
  'deadline_exceeded',
  'insufficient_storage',
];

/** The server URL is relative to the document. @param models ids for parameters */
export function toOpenApi(routes: readonly DescribedRoute[], models: readonly ModelInfo[] = []): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const descriptions = descriptionsOf(route);
    for (const { name, schema } of schemasOf(route))
      schemas[name] ??= describeFields(toJsonSchema(schema), name, descriptions);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = toOperation(route, models);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Inference API', version: '1' },
    servers: [{ url: '.' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const descriptionsOf = ({ descriptions }: DescribedRoute): Descriptions => ({
  ...serverDescriptions,
  ...descriptions,
});

function schemasOf(route: DescribedRoute): NamedSchema[] {
  const messages = messagesOf(route).flatMap(({ client, server }) => [client, server]);
  return [
    errorBody,
    ...messages,
    route.requestBody,
    ...Object.values(route.responses),
    route.errorBody,
  ].filter((named) => named !== undefined);
}

function toOperation(route: DescribedRoute, models: readonly ModelInfo[]): JsonSchema {
  const content = Object.entries(route.responses).map(([mediaType, schema]) => [
    mediaType,
    referenceTo(schema.name),
  ]);
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...parametersOf(route, models),
    ...requestBodyOf(route),
    ...(route.messages && {
      'x-websocket-messages': messagesOf(route).map(({ client, server }) => ({
        client: referenceTo(client.name).schema,
        server: referenceTo(server.name).schema,
      })),
    }),
    responses: {
      ...(route.messages
        ? { 101: { description: describeMessages(route) } }
        : { 200: { description: 'Success.', content: Object.fromEntries(content) } }),
      ...errorResponses(route),
    },
  };
}

/** OpenAPI has no WebSockets. */
function describeMessages(route: DescribedRoute): string {
  const names = messagesOf(route).map(({ client, server }) => `${client.name} and ${server.name}`);
  return `The connection becomes a WebSocket with JSON messages, of the schemas ${names.join(', or ')}.`;
}

function messagesOf({ messages, otherMessages = [] }: DescribedRoute): SocketMessages[] {
  return messages ? [messages, ...otherMessages] : [];
}

function parametersOf(route: DescribedRoute, models: readonly ModelInfo[]): JsonSchema {
  const { path, queryParameters = {} } = route;
  const descriptions = descriptionsOf(route);
  const text = { type: 'string' };
  const idsOf = (category: string): JsonSchema => {
    const ids = models.filter((model) => [category, 'unknown'].includes(model.category)).map(({ id }) => id);
    return ids.length === 0 ? text : { enum: ids };
  };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    description: descriptions[`path.${name}`],
    required: true,
    schema: text,
  }));
  const inQuery = Object.entries(queryParameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    description: parameter.description,
    schema: parameter.modelOf === undefined ? (parameter.schema ?? text) : idsOf(parameter.modelOf),
  }));
  const parameters = [...inPath, ...inQuery];
  return parameters.length === 0 ? {} : { parameters };
}

function requestBodyOf({ requestBody }: DescribedRoute): JsonSchema {
  if (requestBody === undefined) return {};
  const { name, mediaType = 'application/json', isOptional = false } = requestBody;
  return { requestBody: { required: !isOptional, content: { [mediaType]: referenceTo(name) } } };
}

function errorResponses(route: DescribedRoute): Record<string, JsonSchema> {
  const body = referenceTo(route.errorBody?.name ?? 'Error');
  const codes = [...everywhere, ...(route.isInference ? onInference : []), ...route.errors];
  const byStatus = new Map<number, Set<string>>();
  for (const code of codes) {
    const { status, code: wireCode } = wireErrors[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(wireCode));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, wireCodes]) => [
      status,
      { description: [...wireCodes].join(', '), content: { 'application/json': body } },
    ]),
  );
}

function referenceTo(name: string): { schema: JsonSchema } {
  return { schema: { $ref: `#/components/schemas/${name}` } };
}

export const serverDescriptions: Descriptions = {
  object: 'Kind of this object; constant.',
  type: 'Kind of this object; its other fields depend on it.',
  error: 'Why the request failed.',
  'error.message': 'Human-readable reason; the wording may change.',
  'error.type': 'Group of the error, such as `invalid_request_error` or `server_error`.',
  'error.code': "Machine-readable reason: one of the endpoint's codes.",
  'error.param': 'Path of the invalid field, such as `messages[0].role`, if any; else `null`.',
  model: 'Id of the model that answered.',
  usage: 'Tokens used by the request.',
  total_tokens: 'Tokens of input and output together.',
  'path.model_id': 'Id of a model, as `GET /v1/models` lists it.',

  'ModelList.data': 'All configured models, loaded or not.',
  'model/id': 'Name of the model in requests.',
  'model/created': 'Unix time in seconds of the model files; 0 if unknown.',
  'model/name': 'Display name of the model; default: its id.',
  category: 'Kind of the model, such as `chat`; `unknown` if it must be loaded to find out.',
  'model/state':
    '`ready` accepts requests immediately, `unloaded` loads on the next request; absent if the service reports no states.',
  'progress.phase': 'Files are downloaded, then verified, then opened; a phase may be skipped.',
  model_id: 'Id of the model.',
  model_name: 'Display name of the model.',
  'ModelParameters.parameters':
    'Type, bounds, default and description of each parameter, by name in requests.',
  'parameters.type': 'Type of the value.',
  'parameters.min': 'Minimum, if any.',
  'parameters.max': 'Maximum, if any.',
  'parameters.default': 'Default value, if any.',
  'parameters.step': 'Step for form controls, such as a slider, if any.',
  'parameters.section': 'Section of a form: `advanced` may be hidden.',
  'parameters.description': 'Description of the parameter.',
};
