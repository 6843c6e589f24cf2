import type { Attributes } from '@opentelemetry/api';
import type { ObservedRun, RunEnd } from '../engine/observer.ts';
import type { Category } from '../categories/contract.ts';

/** What the conventions call each category; the last is a name of our own, they have none for it. */
const operations: Readonly<Record<Category, string>> = {
  chat: 'chat',
  embedding: 'embeddings',
  image: 'generate_content',
  speech: 'generate_content',
  transcription: 'generate_content',
  detection: 'detect_objects',
};

/** `chat tiny-chat`; the operation alone where clients could make up any number of names. */
export function spanName({ category, model, isKnownModel }: ObservedRun): string {
  return isKnownModel ? `${operations[category]} ${model}` : operations[category];
}

/** What samplers decide by, and what every measurement has. */
export function commonAttributes({ category, model, isKnownModel }: ObservedRun): Attributes {
  return {
    'gen_ai.operation.name': operations[category],
    'gen_ai.provider.name': 'slashv1',
    ...(isKnownModel ? { 'gen_ai.request.model': model } : {}),
  };
}

/** The request without what people wrote. An attribute that is `undefined` is not recorded. */
export function requestAttributes(run: ObservedRun): Attributes {
  const common = { 'gen_ai.request.model': run.model, 'slashv1.request.id': run.origin?.requestId };
  switch (run.category) {
    case 'chat': {
      const { request } = run;
      return {
        ...common,
        'gen_ai.output.type': request.responseFormat.type === 'text' ? 'text' : 'json',
        'gen_ai.request.max_tokens': request.maxTokens,
        'gen_ai.request.temperature': request.temperature,
        'gen_ai.request.top_p': request.topP,
        'gen_ai.request.top_k': request.topK,
        'gen_ai.request.frequency_penalty': request.frequencyPenalty,
        'gen_ai.request.presence_penalty': request.presencePenalty,
        'gen_ai.request.seed': request.seed,
        'gen_ai.request.choice.count': request.n === 1 ? undefined : request.n,
      };
    }
    case 'embedding':
      return { ...common, 'gen_ai.embeddings.dimension.count': run.request.dimensions };
    case 'image': {
      const { n, seed } = run.request;
      return {
        ...common,
        'gen_ai.output.type': 'image',
        'gen_ai.request.seed': seed,
        'gen_ai.request.choice.count': n === 1 ? undefined : n,
      };
    }
    case 'speech':
      return { ...common, 'gen_ai.output.type': 'speech' };
    case 'transcription':
      return {
        ...common,
        'gen_ai.output.type': 'text',
        'gen_ai.request.temperature': run.request.temperature,
      };
    case 'detection':
      return common;
  }
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
