import type { ErrorBody, RouteDescription } from '../contracts/endpoint.ts';
import type { ErrorCode, InferenceError } from '../errors.ts';
import type { ApiResponse } from '../contracts/http.ts';
import { jsonResponse } from './responses.ts';

/** Wire form of one kind of error. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// OpenAI's clients retry every 5xx unless a header forbids it, even one that took minutes to fail.
const dontRetry = { 'x-should-retry': 'false' };

/** Status, type and code on the wire by error code. Status codes are defined only here. */
export const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  invalid_request: { status: 400, type: 'invalid_request_error', code: 'invalid_request' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  unsupported_feature: {
    status: 400,
    type: 'invalid_request_error',
    code: 'unsupported_feature',
    headers: dontRetry,
  },
  authentication_failed: {
    status: 401,
    type: 'authentication_error',
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  },
  quota_exceeded: { status: 403, type: 'permission_error', code: 'quota_exceeded' },
  upgrade_required: { status: 403, type: 'permission_error', code: 'upgrade_required' },
  model_not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  response_not_found: { status: 404, type: 'invalid_request_error', code: 'response_not_found' },
  route_not_found: { status: 404, type: 'invalid_request_error', code: 'route_not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    code: 'request_timeout',
    headers: dontRetry,
  },
  request_too_large: { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' },
  rate_limited: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  cancelled: { status: 499, type: 'invalid_request_error', code: 'cancelled' },
  internal: { status: 500, type: 'server_error', code: 'internal_error' },
  worker_failed: { status: 502, type: 'server_error', code: 'worker_failed' },
  overloaded: { status: 503, type: 'server_error', code: 'overloaded' },
  deadline_exceeded: { status: 504, type: 'server_error', code: 'deadline_exceeded', headers: dontRetry },
  insufficient_storage: { status: 507, type: 'server_error', code: 'insufficient_storage' },
};

export function wireErrorOf(error: InferenceError): WireError {
  return wireErrors[error.code] ?? wireErrors.internal;
}

/** Default for `overloaded` without a known delay. */
const defaultRetryAfterSeconds = 1;

/**
 * The body of an error response; internal errors contain only the request id, which
 * operators look up in their log.
 *
 * @example
 * ```ts
 * const error = new InferenceError('model_not_found', 'No such model.', { param: 'model' });
 * toErrorBody(error, 'req_1').error.code; // 'model_not_found'
 * ```
 */
export function toErrorBody(error: InferenceError, requestId: string): ErrorBody {
  const { type, code, status } = wireErrorOf(error);
  const shown = status === 500 ? 'Internal error.' : error.message;
  const message = status === 500 || status === 502 ? `${shown} Request id: ${requestId}.` : shown;
  return { error: { message, type, param: error.param ?? null, code } };
}

/**
 * The response of an error, with the headers that control retries.
 *
 * @param errorBody form of the body, if the route defines one
 * @example
 * ```ts
 * toErrorResponse(new InferenceError('overloaded', 'Full.', { retryAfterSeconds: 3 }), 'req_1').status; // 503
 * ```
 */
export function toErrorResponse(
  error: InferenceError,
  requestId: string,
  errorBody?: RouteDescription['errorBody'],
): ApiResponse {
  const { status, headers } = wireErrorOf(error);
  const body = toErrorBody(error, requestId);
  return jsonResponse(status, errorBody ? errorBody.of(body, requestId) : body, {
    ...headers,
    ...retryAfter(error, status),
  });
}

function retryAfter(error: InferenceError, status: number): Record<string, string> {
  if (status !== 429 && status !== 503 && status !== 507) return {};
  const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds ?? defaultRetryAfterSeconds));
  return { 'retry-after': String(seconds) };
}
