import { AsyncLocalStorage } from 'node:async_hooks';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { z } from 'zod';
import { assertNames } from '../core/assert-names.ts';

/** A `fetch` that stays in this process. */
export type Serve = typeof fetch;

/** Fields of a request by wire name. */
export type Fields = Readonly<Record<string, unknown>>;

/** The part of a call that all kinds of models share. */
export interface SdkCall {
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: SharedV4ProviderOptions | undefined;
}

type CallOf<Method> = Method extends (call: infer Call) => unknown ? Call & SdkCall : never;

const added = new AsyncLocalStorage<Fields>();

/** Reserved fields that control the answer's form, which the SDK parses. */
const sdkFields = new Set(
  'model n stream stream_options stream_format response_format encoding_format return_documents'.split(' '),
);

/** The fields in `providerOptions.slashv1`. */
export function optionsOf(
  { providerOptions = {} }: SdkCall,
  { shape }: z.ZodObject,
  ...more: string[]
): Fields {
  const known = Object.keys(shape).filter((name) => !sdkFields.has(name));
  const given: Fields = providerOptions['slashv1'] ?? {};
  assertNames('providerOptions.slashv1', given, [...known, ...more]);
  return given;
}

/** Wraps a model so that requests include fields that the SDK's provider drops. */
export function withOptions<Model extends object, Name extends keyof Model>(
  model: Model,
  names: readonly Name[],
  schema: z.ZodObject,
  split: (call: CallOf<Model[Name]>) => readonly [call: CallOf<Model[Name]>, fields?: Fields],
): Model {
  const own = names.map((name) => [
    name,
    {
      value: async (whole: CallOf<Model[Name]>): Promise<unknown> => {
        const [call, fields] = split(whole);
        const all = { ...optionsOf(whole, schema), ...fields };
        return added.run(all, () => (model[name] as (call: unknown) => unknown)(call));
      },
    },
  ]);
  return Object.create(model, Object.fromEntries(own) as PropertyDescriptorMap) as Model;
}

/** Appends a call's fields to its non-empty JSON body: the last of equal names wins. */
export function addFields(body: string): string {
  const fields = JSON.stringify(added.getStore() ?? {});
  return fields === '{}' ? body : `${body.slice(0, -1)},${fields.slice(1)}`;
}
