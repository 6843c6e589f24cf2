import { APICallError } from '@ai-sdk/provider';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Categories, Category } from '../categories/registry.ts';
import type { CallOptions } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { Inference } from '../inference.ts';
import { toErrorResponse } from '../server/errors.ts';
import { renameFields } from '../validation/rename-fields.ts';

/** Options of all calls that the SDK makes by one provider. */
export type Slashv1Options = Pick<CallOptions, 'owner' | 'sharesPrefixes' | 'deadlineMs' | 'origin'>;

/** A model of the inference, as the SDK calls it. */
export interface Host<C extends Category = Category> {
  readonly inference: Pick<Inference, 'run' | 'models'>;
  readonly options: Slashv1Options;
  readonly category: C;
  readonly modelId: string;
}

/** A request without its model; a field that is `undefined` counts as left out. */
export type RequestOf<C extends Category> = Loose<Omit<Categories[C]['input'], 'model'>>;

type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The part of a call that all kinds of models have. */
export interface SdkCall {
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
}

/** The members that models of all kinds have. */
export function identityOf({ category, modelId }: Host) {
  return { specificationVersion: 'v4', provider: `slashv1.${category}`, modelId } as const;
}

/** Starts a run of the model. */
export function start<C extends Category>(
  { inference, options, category, modelId }: Host<C>,
  request: RequestOf<C>,
  { signal, ...more }: Pick<CallOptions, 'signal' | 'responseId' | 'mayRestart'>,
): AsyncIterable<Categories[C]['event']> {
  const whole = { ...request, model: modelId } as unknown as Categories[C]['input'];
  return inference.run(category, whole, { ...options, ...more, ...(signal && { signal }) });
}

/**
 * Does the work of a call.
 *
 * @param rename the caller's name for a field of the request
 * @throws the reason of the abort signal, or an `APICallError` whose cause is the `InferenceError`
 */
export async function answer<T>(
  host: Host,
  { abortSignal }: SdkCall,
  rename: (field: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toSdkError(host, error, { abortSignal, rename });
  }
}

/** The error by which the SDK decides whether it tries again. */
export function toSdkError(
  { category, modelId }: Host,
  thrown: unknown,
  { abortSignal, rename }: Pick<SdkCall, 'abortSignal'> & { readonly rename: (field: string) => string },
): unknown {
  if (abortSignal?.aborted) return abortSignal.reason;
  const cause = renameFields(thrown, rename);
  if (!InferenceError.isInstance(cause)) return cause;
  const { status, headers } = toErrorResponse(cause, '');
  return new APICallError({
    message: cause.message,
    url: `slashv1:${category}/${modelId}`,
    requestBodyValues: undefined,
    statusCode: status,
    responseHeaders: headers as Record<string, string>,
    isRetryable: (status === 429 || status >= 500) && headers['x-should-retry'] !== 'false',
    cause,
  });
}
