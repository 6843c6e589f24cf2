import { backends } from '../backends/registry.ts';
import { categoryModels } from '../categories/models.ts';
import type { Architecture } from '../contracts/architecture.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import type { FileEvidence, ModelFiles } from '../contracts/files.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';

/** How to open a model, and its files. */
export interface ModelChoice {
  /** `undefined` if the category has no list of architectures. */
  readonly architecture: Architecture | undefined;
  readonly files: ModelFiles;
}

/** Selects the architecture and files of a model by its small files, before its weights are downloaded. */
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

/** `chooseModel` for a download: by the config, which is fetched first if there are several architectures. */
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

/** Rejects a model that only different backends can run. */
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

/** Detects the category of a model from its small files. */
export function recognizeFiles(evidence: FileEvidence): string | undefined {
  const type = String(evidence.config['model_type']);
  const isKnown = (one: Architecture): boolean =>
    one.modelTypes.includes(type) || one.recognize?.(evidence) === true;
  const isOf = (category: string): boolean =>
    listsOf(category).some(({ architectures }) => architectures.some(isKnown));
  return [...categoryModels.values()].find((one) => one.recognize?.(evidence) ?? isOf(one.name))?.name;
}

/** The lists of a category, each with its first backend. */
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

/** The architectures of a category that a backend runs; `undefined` without a list. */
function architecturesOf(category: string, backend: BackendDefinition): readonly Architecture[] | undefined {
  return backend.architectures?.[category] ?? categoryModels.get(category)?.architectures;
}

function namedIn(architectures: readonly Architecture[], type: unknown): Architecture | undefined {
  return architectures.find((architecture) => typesOf(architecture).includes(String(type)));
}

function typesOf({ modelTypes, sharedModelTypes = [] }: Architecture): readonly string[] {
  return [...modelTypes, ...sharedModelTypes];
}
