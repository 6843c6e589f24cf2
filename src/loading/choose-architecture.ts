import { backends } from '../backends/registry.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import { categoryModels } from '../categories/models.ts';
import type { Architecture } from '../contracts/architecture.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';
import type { FileEvidence } from '../contracts/files.ts';

/** The architectures of a category that a backend runs; `undefined` where there is no list of them. */
export function architecturesOf(
  category: string,
  backend: BackendDefinition,
): readonly Architecture[] | undefined {
  return backend.architectures?.[category] ?? categoryModels.get(category)?.architectures;
}

/** Finds the architecture of a model by its small files, before its weights are there. */
export function chooseArchitecture(
  category: string,
  backend: BackendDefinition,
  evidence: FileEvidence,
): Architecture | undefined {
  const own = architecturesOf(category, backend);
  if (!own) return undefined;
  const type = evidence.config['model_type'];
  const named = namedIn(own, type);
  if (named) return named;
  assertBackend(category, backend, type);
  const found = own.find((one) => one.recognize?.(evidence)) ?? own.find(({ isDefault }) => isDefault);
  if (found) return found;
  const lists = listsOf(category).map(
    ({ spelling, architectures }) => `${spelling} runs ${architectures.flatMap(typesOf).join(', ')}`,
  );
  const got = type === undefined ? 'a model without a model_type in its config.json' : quote(String(type));
  throw fieldError('source', `no backend runs ${got} for ${category}: ${lists.join('; ')}`);
}

/** Checks that a model is not one that only other backends run. */
export function assertBackend(
  category: string,
  backend: BackendDefinition,
  type: unknown,
  param = 'backend',
): void {
  const own = architecturesOf(category, backend);
  if (!own || namedIn(own, type)) return;
  const able = listsOf(category).filter(({ architectures }) => namedIn(architectures, type));
  if (able.length === 0) return;
  const spellings = able.map(({ spelling }) => spelling).join(' or ');
  throw fieldError(
    param,
    `${backend.spelling} runs no ${quote(String(type))} for ${category}, expected ${spellings}, which does`,
  );
}

/** Whether files that nobody has said the category of are a model of this one. */
export function isOfCategory(category: string, evidence: FileEvidence): boolean {
  const type = String(evidence.config['model_type']);
  return listsOf(category)
    .flatMap(({ architectures }) => architectures)
    .some((one) => one.modelTypes.includes(type) || one.recognize?.(evidence) === true);
}

/** The lists of a category, each with the first backend that has it. */
export function listsOf(
  category: string,
): readonly { readonly spelling: string; readonly architectures: readonly Architecture[] }[] {
  const definition = categoryModels.get(category)!;
  const lists = new Map<readonly Architecture[], string>();
  for (const backend of backends.filter((one) => one.runs(definition))) {
    const architectures = architecturesOf(category, backend);
    if (architectures && !lists.has(architectures)) lists.set(architectures, backend.spelling);
  }
  return [...lists].map(([architectures, spelling]) => ({ spelling, architectures }));
}

function namedIn(architectures: readonly Architecture[], type: unknown): Architecture | undefined {
  return architectures.find((architecture) => typesOf(architecture).includes(String(type)));
}

function typesOf({ modelTypes, sharedModelTypes = [] }: Architecture): readonly string[] {
  return [...modelTypes, ...sharedModelTypes];
}
