import type { Attributes } from '@opentelemetry/api';
import type { ObservedRun, RunEnd } from '../contracts/observer.ts';

/** `chat tiny-chat`; the operation alone where clients could make up any number of names. */
export function spanName(run: ObservedRun): string {
  const { operation } = run.telemetry;
  return run.isKnownModel ? `${operation} ${run.model}` : operation;
}

/** The attributes that samplers decide by, and that every measurement has. */
export function commonAttributes(run: ObservedRun): Attributes {
  return {
    'gen_ai.operation.name': run.telemetry.operation,
    'gen_ai.provider.name': 'slashv1',
    ...(run.isKnownModel ? { 'gen_ai.request.model': run.model } : {}),
  };
}

/** The request without what people wrote. An attribute that is `undefined` is not recorded. */
export function requestAttributes(run: ObservedRun): Attributes {
  return {
    'gen_ai.request.model': run.model,
    'slashv1.request.id': run.origin?.requestId,
    ...run.telemetry.attributes?.(run.request),
  };
}

/** The answer without what the model said. */
export function responseAttributes(run: ObservedRun, end: RunEnd): Attributes {
  const { usage, error } = end;
  return {
    'gen_ai.response.id': run.responseId,
    'gen_ai.response.model': run.isKnownModel ? run.model : undefined,
    'gen_ai.response.finish_reasons': end.finishReasons.length === 0 ? undefined : [...end.finishReasons],
    'gen_ai.response.time_to_first_chunk': toSeconds(end.firstOutputMs),
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'slashv1.queue.wait': toSeconds(end.waitMs),
    'error.type': error?.code,
  };
}

function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
