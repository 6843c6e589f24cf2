import { backends } from '../backends/registry.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import { categoryModels } from '../categories/models.ts';
import { chooseArchitecture, isOfCategory } from './choose-architecture.ts';
import { fieldError } from '../errors.ts';
import type { FileEvidence, ModelFiles } from '../contracts/files.ts';
import {
  describeModel as describeModelOf,
  recognizeAtHand,
  type CategoryGuide,
  type DescribedModel,
  type DescribeOptions,
} from '../hub/describe-model.ts';
import { quote } from '../core/text/quote.ts';

/** The category of a model, as its small files show it. */
export function recognizeFiles(evidence: FileEvidence): string | undefined {
  const all = [...categoryModels.values()];
  return all.find((one) => one.recognize?.(evidence) ?? isOfCategory(one.name, evidence))?.name;
}

const guide: CategoryGuide = {
  recognize: recognizeFiles,
  filesOf: (name, evidence) => filesOf(name, evidence),
};

/** The files of a model, as its small files show them. */
export function filesOf(
  category: string,
  evidence: FileEvidence,
  backend: BackendDefinition = backends[0],
): ModelFiles {
  const definition = categoryModels.get(category);
  if (!definition) {
    throw fieldError(
      'category',
      `expected one of ${[...categoryModels.keys()].join(', ')}, got ${quote(category)}`,
    );
  }
  return chooseArchitecture(category, backend, evidence)?.files ?? backend.files ?? definition.files!;
}

/** Finds out what a model is without downloading its weights. */
export function describeModel(source: string, options: DescribeOptions = {}): Promise<DescribedModel> {
  return describeModelOf(source, options, guide);
}

/** The category of a model as far as this disk and the catalogue show it. */
export function recognizeModel(source: string): string | undefined {
  return recognizeAtHand(source, guide);
}
