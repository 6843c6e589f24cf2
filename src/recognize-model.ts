import { categories } from './categories/registry.ts';
import { fieldError } from './errors.ts';
import {
  describeModel as describeModelOf,
  recognizeAtHand,
  type CategoryGuide,
  type DescribedModel,
  type DescribeOptions,
} from './models/describe-model.ts';
import { quote } from './core/text/quote.ts';

const guide: CategoryGuide = {
  recognize: (evidence) => [...categories.values()].find((category) => category.recognize(evidence))?.name,
  filesOf(name) {
    const category = categories.get(name);
    if (category) return category.files;
    throw fieldError('category', `expected one of ${[...categories.keys()].join(', ')}, got ${quote(name)}`);
  },
};

/**
 * Finds out what a model is without downloading its weights.
 *
 * @throws InferenceError where there is no such model, it can't be reached, or nothing shows its category
 */
export function describeModel(source: string, options: DescribeOptions = {}): Promise<DescribedModel> {
  return describeModelOf(source, options, guide);
}

/** The category of a model as far as this disk and the catalogue show it. */
export function recognizeModel(source: string): string | undefined {
  return recognizeAtHand(source, guide);
}
