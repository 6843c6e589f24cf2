export { createHandler } from '../create-handler.ts';
export { createHealthHandler } from '../server/health.ts';
export type { ErrorContext, HandlerOptions } from '../server/options.ts';
export type { ApiKey, Authentication, KeyLookup } from '../server/authentication.ts';
export type { Plan } from '../server/plans.ts';
export type { Limit, Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../server/rate-limit.ts';
export type { ApiRequest, ApiResponse, Handler, ParsedBody } from '../server/contract.ts';
export type { ObservedRequest, RequestEnd, RequestObserver } from '../server/observer.ts';
export type { Observer } from '../typed-observers.ts';
export type { Logger } from '../observability/logger.ts';
export {
  toErrorBody,
  toErrorResponse,
  wireErrors,
  type ErrorBody,
  type WireError,
} from '../server/errors.ts';
export type { FormField } from '../server/multipart.ts';
export * from '../categories/wire.ts';
export { toModel, toModelList, type ModelParameters, type WireModel } from '../server/models.ts';
export { toModelParameters } from '../model-parameters.ts';
