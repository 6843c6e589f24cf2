import { z } from 'zod';
import { backendOf, backends } from '../backends/registry.ts';
import { backendSettings } from '../backends/settings.ts';
import type { BackendDefinition } from '../contracts/backend.ts';
import type { BackendDescriptor, ModelOptions } from '../contracts/model.ts';
import type { CategoryDefinition } from '../contracts/category.ts';
import { categories, categoryNames } from '../categories/registry.ts';
import { assertBackend } from './choice.ts';
import { commonSettings } from '../categories/settings.ts';
import { limitSettings } from '../engine/limits.ts';
import { resolveParameter } from '../core/parameters/descriptor.ts';
import { fieldError, inField, orElse, orThrow, renameFields } from '../errors.ts';
import { resolveHubSettings } from '../hub/remote-model.ts';
import { evidenceAtHand } from '../folder/evidence.ts';
import { recognizeModel } from './facts.ts';
import { assertDevice } from '../validation/device-setting.ts';
import { assertOptions } from '../validation/assert-options.ts';
import { choiceSetting, objectSetting, type SettingTable } from '../validation/setting-table.ts';
import { describeValue } from '../core/text/quote.ts';

const generalSettings = {
  ...commonSettings,
  ...limitSettings,
  category: choiceSetting("The model's category; default: detected from its files.", categoryNames),
  backend: objectSetting<BackendDescriptor>(
    'Backend of the model; default: llama.cpp for a GGUF file, else ONNX Runtime, on this machine.',
    `one of ${backends.map(({ spelling }) => spelling).join(', ')}`,
  ),
  license: z.string().optional().describe('Ignored, so that entries of the catalogue can be used unchanged.'),
  parameters: z.number().optional().describe('Ignored, as `license`.'),
  aliases: z.array(z.string()).optional().describe('Ignored, as `license`.'),
} satisfies SettingTable;

/** The settings of a category; of all categories by default. */
export function settingsOf(category: CategoryDefinition | undefined): SettingTable {
  if (category) return { ...generalSettings, ...category.settings };
  const all = [...categories.values()].map(({ settings }) => settings);
  return Object.assign({ ...generalSettings }, ...all) as SettingTable;
}

/**
 * Validates all settings of all models: names, types, ranges, and support by category and backend. Detects the category
 * if it isn't set.
 */
export function checkModels(models: unknown): Readonly<Record<string, ModelOptions>> {
  if (typeof models !== 'object' || models === null || Array.isArray(models))
    throw fieldError('models', `expected an object of ids and models, got ${describeValue(models)}`);
  return Object.fromEntries(
    Object.entries(models).map(([id, settings]) => [id, checkModel(`models.${id}`, settings)]),
  );
}

/** `checkModels` for one model. */
export function checkModel(path: string, settings: unknown): ModelOptions {
  if (typeof settings !== 'object' || settings === null) {
    const functions = categoryNames.map((name) => `${name}({…})`).join(', ');
    throw fieldError(path, `expected one of ${functions}, got ${describeValue(settings)}`);
  }
  // `chat('tiny-chat')` has spread a string.
  if (Object.hasOwn(settings, '0'))
    throw fieldError(path, 'expected an object of settings, such as { source: … }, got a text or a list');
  const given = settings as Partial<ModelOptions>;
  // Detection depends on these types, so they are checked first.
  assertOptions('A model', pickKnown(settings), settings, { path });
  const backend = checkBackend(path, given as ModelOptions);
  // The worker reports why its files can't be read.
  const evidence = orElse(() => evidenceAtHand(given.source!), undefined);
  const recognize = (): string | undefined =>
    orElse(() => recognizeModel(given.source!, evidence), undefined);
  const name = given.category ?? (backend.place === 'host' ? undefined : recognize());
  const category = name === undefined ? undefined : categories.get(name)!;
  if (category && !backend.runs(category)) throw notRun(path, category, backend);
  // A local model that needs a different backend is rejected before a worker starts.
  if (name !== undefined && evidence)
    assertBackend(name, backend, evidence.config['model_type'], `${path}.backend`);
  if (!category && backend.place === 'host') {
    const able = [...categories.values()].filter((one) => backend.runs(one)).map((one) => one.name);
    throw fieldError(
      `${path}.category`,
      `expected ${able.join(' or ')} for the backend ${backend.spelling}, got nothing`,
    );
  }
  assertOptions(category ? `A model for ${category.name}` : 'A model', settingsOf(category), settings, {
    path,
    explainForeign: (foreign) => explainForeign(foreign, category),
  });
  orThrow(
    () => resolveHubSettings(given.hub),
    (error) => renameFields(error, (field) => `${path}.${field}`),
  );
  const replicas = typeof given.replicas === 'object' ? given.replicas : [];
  const providers = backend.devices?.(given.backend) ?? [];
  assertDevice(`${path}.device`, given.device, providers);
  const { prefill } = settings as { readonly prefill?: { readonly device?: string } };
  assertDevice(`${path}.prefill.device`, prefill?.device, providers);
  for (const [index, replica] of replicas.entries())
    assertDevice(`${path}.replicas[${index}].device`, replica.device, providers);
  if (given.defaults) checkDefaults(`${path}.defaults`, given.defaults, category);
  for (const foreign of backend.foreignSettings) {
    if ([settings, ...replicas].every((one) => (one as Record<string, unknown>)[foreign] === undefined))
      continue;
    throw fieldError(
      `${path}.${foreign}`,
      `a model with the backend ${backend.spelling} has no such setting`,
    );
  }
  return { ...(settings as ModelOptions), ...(name === undefined ? {} : { category: name }) };
}

/** The given general settings, and the required source. */
function pickKnown(settings: object): SettingTable {
  const rest = Object.fromEntries(Object.keys(settings).map((name) => [name, z.unknown()]));
  const { source, category, backend } = generalSettings;
  return { ...rest, source, category, backend };
}

function checkDefaults(
  path: string,
  defaults: Readonly<Record<string, unknown>>,
  category: CategoryDefinition | undefined,
): void {
  if (!category) throw fieldError(path, 'expected the `category` of the model beside them');
  const anything = Object.fromEntries(Object.keys(category.parameters).map((name) => [name, z.unknown()]));
  assertOptions(`A model for ${category.name}`, anything, defaults, { path });
  for (const [name, value] of Object.entries(defaults)) {
    const label = `${path}.${name}`;
    inField(label, () => resolveParameter(label, value, category.parameters[name]!));
  }
}

function checkBackend(model: string, options: ModelOptions): BackendDefinition {
  const { backend: descriptor } = options;
  const path = `${model}.backend`;
  const definition = backendOf(options);
  if (!definition) {
    const spellings = backends.map(({ spelling }) => spelling).join(', ');
    throw fieldError(path, `expected one of ${spellings}, got ${describeValue(descriptor?.kind)}`);
  }
  if (descriptor) {
    const table = { kind: z.string(), ...backendSettings[definition.kind] };
    assertOptions(`The backend ${definition.spelling}`, table, descriptor, { path });
    definition.assert?.(descriptor, path);
  }
  return definition;
}

function notRun(path: string, category: CategoryDefinition, { spelling, refusal }: BackendDefinition): Error {
  const able = backends.filter((one) => one.runs(category)).map((one) => one.spelling);
  const why = refusal ? ` (${refusal(category)})` : '';
  return fieldError(
    `${path}.backend`,
    `a model for ${category.name} can't run on ${spelling}${why}, expected ${able.join(' or ')}`,
  );
}

/** Explains a setting that belongs to a different category. */
function explainForeign(name: string, category: CategoryDefinition | undefined): string | undefined {
  const owners = [...categories.values()].filter(({ settings }) => Object.hasOwn(settings, name));
  if (category && Object.hasOwn(category.parameters, name))
    return `it is a parameter of requests: its default for the model is \`defaults: { ${name}: … }\``;
  if (!category || owners.length === 0) return undefined;
  const named = owners.map((owner) => owner.name).join(' and ');
  return `it is a setting of models for ${named}, and this is one for ${category.name}`;
}
