import { basename } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../core/text/suggest.ts';
import type { ModelOptions } from '../contracts/model.ts';
import { settingsOf } from '../loading/settings.ts';
import {
  UsageError,
  check,
  type OptionTable,
  type OptionValues,
  readHubOptions,
  type HubValues,
} from './options.ts';
import type { Dtype } from '../contracts/files.ts';
import { storedDtypes } from '../folder/graph-files.ts';
import { categoryNames } from '../categories/registry.ts';

/** A model from flags and config files: its category may be detected from its files. */
export type ModelSettings = ModelOptions;

const known = settingsOf(undefined);

/** Parses `id=source,dtype=q4,…`; without `id=`, the last part of the source is the id. The settings aren't validated yet. */
export function parseModelOption(label: string, text: string) {
  const [head, ...rest] = text.split(',');
  const [, id, source] = /^(?:(\w[\w.:-]*(?:\/[\w.:-]+)?)=)?(.*)$/s.exec(head!)!;
  if (source === '')
    throw new UsageError(`${label}: expected id=source or a source, got ${JSON.stringify(text)}`);
  const settings: Record<string, unknown> = { source };
  for (const part of rest) {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(
        `${label}: expected setting=value after the comma, got ${JSON.stringify(part)}; a source with a comma goes into a config file`,
      );
    }
    if (!Object.hasOwn(known, name)) {
      throw new UsageError(
        `${label}: a model has no setting ${name}.${didYouMean(name, Object.keys(known))}`,
      );
    }
    if (Object.hasOwn(settings, name)) throw new UsageError(`${label}: expected ${name} once`);
    settings[name] = readScalar(name, value);
  }
  return { id: id ?? idOf(source!), settings };
}

/** Text settings stay text, so that a model may be called 7. */
function readScalar(name: string, text: string): unknown {
  const types = typesOf(known[name]!);
  if (types.includes('number') && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

function typesOf(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional) return typesOf(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.flatMap(typesOf) : [(schema as z.ZodType).def.type];
}

/** `org/name@revision` keeps its organization, as clients expect; for a folder or an address the last part is enough. */
function idOf(source: string): string {
  const isPath = /^(?:https?:\/\/|[./~\\]|[A-Za-z]:)/.test(source);
  if (!isPath) return source.replace(/@.*$/s, '');
  const parts = source.replace(/[/\\]+$/, '').split('/');
  return basename(parts.at(-1)!) || source;
}

/** Options of commands for one dtype of a model. */
export const modelChoiceTable = {
  dtype: ['<type>', `Type of the weights: auto (default), ${storedDtypes.join(', ')}.`],
  category: ['<name>', `Category of the model: auto (default, from its files), ${categoryNames.join(', ')}.`],
} as const satisfies OptionTable;

/** @throws UsageError unless the operands name one model */
export function oneModel([model, ...others]: readonly string[]): string {
  if (model !== undefined && others.length === 0) return model;
  const count = model === undefined ? 'none' : others.length + 1;
  throw new UsageError(`Expected the name of one model, got ${count}.`);
}

export function readModelChoice(
  source: string,
  { dtype, category, ...values }: OptionValues<typeof modelChoiceTable> & HubValues,
): ModelSettings {
  const { hub } = readHubOptions(values);
  return {
    source,
    dtype: check('--dtype', known['dtype']!, dtype) as Dtype | undefined,
    category:
      category === 'auto'
        ? undefined
        : (check('--category', known['category']!, category) as string | undefined),
    hub,
  };
}
