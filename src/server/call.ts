import type { ServedInference } from '../contracts/engine.ts';
import { InferenceError, wrongCategory } from '../errors.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import type { CallerState } from '../contracts/caller.ts';
import type { RequestBudget } from '../contracts/endpoint.ts';
import type { ModelInfo } from '../contracts/model.ts';
import type { ApiRequest } from '../contracts/http.ts';
import type { ObservedRequest } from '../contracts/observer.ts';
import type { Settings } from './options.ts';
import type { Meter } from './plans.ts';
import { quote } from '../core/text/quote.ts';

export interface Caller {
  /** Owner of the key; `undefined` for an open service. */
  readonly owner: string | undefined;
  readonly caller: CallerState;
  readonly meter: Meter;
}

export interface Call extends Caller {
  readonly budget: RequestBudget;
  readonly inference: ServedInference;
  readonly settings: Settings;
  readonly request: ApiRequest;
  readonly requestId: string;
  /** `performance.now()` of its arrival. */
  readonly startedAt: number;
  /** Passed to the inference, so that observers can attribute its runs. */
  readonly origin: ObservedRequest;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Identifies the sender again with a separate meter, for additional billed work. */
  readonly identify: () => Promise<Caller>;
  /** Reports a failure after the response's status was sent. */
  readonly report: (error: InferenceError) => void;
}

const maxModelsNamed = 5;

/** @param id default: the category's default model, else the first configured */
export function findModel(
  call: Call,
  id: string | undefined,
  wanted?: Pick<CategoryDefinition, 'name' | 'defaultModel'>,
): ModelInfo {
  const category = wanted?.name;
  const models = call.inference.models();
  const isOffered = (one: ModelInfo): boolean => category === undefined || one.category === category;
  const isUsual = (one: ModelInfo): boolean => isOffered(one) && one.id === wanted?.defaultModel;
  const byDefault = id === undefined ? (models.find(isUsual) ?? models.find(isOffered)) : undefined;
  const model = byDefault ?? models.find((candidate) => candidate.id === id);
  if (model === undefined) {
    const fault =
      id === undefined ? `There is no ${category} model.` : `The model ${quote(id)} does not exist.`;
    throw new InferenceError('model_not_found', `${fault} ${listing(models.filter(isOffered))}`, {
      param: 'model',
    });
  }
  if (category !== undefined && model.category !== category && model.category !== 'unknown')
    throw wrongCategory(model.id, model.category, category);
  return model;
}

function listing(models: readonly ModelInfo[]): string {
  if (models.length === 0) return 'This service has no models.';
  const names = models.slice(0, maxModelsNamed).map((model) => quote(model.id));
  const more = models.length - names.length;
  return `Available: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
