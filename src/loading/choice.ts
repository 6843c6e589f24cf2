import { backends } from '../backends/registry.ts';
import { categoryModels } from '../categories/models.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import type { FileEvidence, ModelFiles } from '../contracts/files.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';

/** What opens a model, and the files that it is made of. */
export interface ModelChoice {
  /** `undefined` where the category has no list of them. */
  readonly architecture: Architecture | undefined;
  readonly files: ModelFiles;
}

/** Chooses the architecture and the files of a model by its small files, before its weights are there. */
export function chooseModel(
  category: string,
  backend: BackendDefinition,
  evidence: FileEvidence,
): ModelChoice {
  const definition = categoryModels.get(category);
  if (!definition) {
    const known = [...categoryModels.keys()].join(', ');
    throw fieldError('category', `expected one of ${known}, got ${quote(category)}`);
  }
  const architecture = chooseArchitecture(category, backend, evidence);
  return { architecture, files: architecture?.files ?? backend.files ?? definition.files! };
}

/** `chooseModel` for a download: by the config, which comes first, where there are architectures to choose from. */
export function choiceOf(
  category: string,
  backend: BackendDefinition,
): ModelChoice | ((evidence: FileEvidence) => ModelChoice) {
  const choose = (evidence: FileEvidence): ModelChoice => chooseModel(category, backend, evidence);
  return architecturesOf(category, backend) ? choose : choose({ files: [], config: {} });
}

function chooseArchitecture(
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

/** The category of a model, as its small files show it. */
export function recognizeFiles(evidence: FileEvidence): string | undefined {
  const type = String(evidence.config['model_type']);
  const isKnown = (one: Architecture): boolean =>
    one.modelTypes.includes(type) || one.recognize?.(evidence) === true;
  const isOf = (category: string): boolean =>
    listsOf(category).some(({ architectures }) => architectures.some(isKnown));
  return [...categoryModels.values()].find((one) => one.recognize?.(evidence) ?? isOf(one.name))?.name;
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

/** The architectures of a category that a backend runs; `undefined` where there is no list of them. */
function architecturesOf(category: string, backend: BackendDefinition): readonly Architecture[] | undefined {
  return backend.architectures?.[category] ?? categoryModels.get(category)?.architectures;
}

function namedIn(architectures: readonly Architecture[], type: unknown): Architecture | undefined {
  return architectures.find((architecture) => typesOf(architecture).includes(String(type)));
}

function typesOf({ modelTypes, sharedModelTypes = [] }: Architecture): readonly string[] {
  return [...modelTypes, ...sharedModelTypes];
}
