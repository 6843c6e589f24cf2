import { z } from 'zod';
import type { ParameterTable, ParameterValues } from '../core/parameters/descriptor.ts';
import { didYouMean } from '../core/text/suggest.ts';
import { fieldError } from '../errors.ts';
import { parseBody } from '../validation/issues.ts';
import { parameterReader, parameterShape } from '../validation/parameter-schema.ts';
import { renameFields } from '../validation/rename-fields.ts';
import { assertNoneOf, type UnsupportedFields } from '../validation/unsupported.ts';
import type { SdkCall } from './call.ts';

const place = 'providerOptions.slashv1';

/** How the fields of a category's requests are spelt in calls of the SDK. */
export interface FieldNames {
  /** Fields that the SDK has itself: name on the wire → name in the SDK. */
  readonly own: Readonly<Record<string, string>>;
  /** Parameters that a call can't use, with advice. */
  readonly refused?: UnsupportedFields | undefined;
}

/** The SDK's name for a field of a request. */
export function toSdkName({ own }: FieldNames): (field: string) => string {
  return (field) => {
    if (field.startsWith(place)) return field;
    const [root = ''] = /^\w*/.exec(field) ?? [];
    const name = Object.hasOwn(own, root) ? own[root] : undefined;
    return name === undefined ? `${place}.${field}` : name + field.slice(root.length);
  };
}

/**
 * Makes the reader of `providerOptions.slashv1`: the parameters of a category under their names on the wire, those aside
 * that the SDK has itself.
 *
 * @param more fields beside the parameters
 * @returns a function that throws `InferenceError` naming the first option that doesn't exist or is out of range
 */
export function createOptionsReader<T extends ParameterTable, More extends z.ZodRawShape>(
  table: T,
  { own, refused = {} }: FieldNames,
  more: More,
): (call: SdkCall) => Options<T, More> {
  const elsewhere = Object.entries(own).map(([name, sdk]) => [name, { advice: `use \`${sdk}\`` }]);
  const fields: UnsupportedFields = { ...Object.fromEntries(elsewhere), ...refused };
  const schema = z.object({ ...parameterShape(table), ...more });
  const offered = Object.keys(schema.shape).filter((name) => !Object.hasOwn(fields, name));
  const readParameters = parameterReader(table);
  return ({ providerOptions }) => {
    const given = providerOptions?.['slashv1'] ?? {};
    try {
      assertNoneOf(fields, given);
      for (const [name, value] of Object.entries(given)) {
        if (value === undefined || offered.includes(name)) continue;
        throw fieldError(name, `there is no such option.${didYouMean(name, offered)}`);
      }
      const parsed: unknown = parseBody(schema, given);
      return {
        parameters: readParameters(parsed as Readonly<Record<string, unknown>>),
        more: parsed as Options<T, More>['more'],
      };
    } catch (error) {
      throw renameFields(error, (field) => `${place}.${field}`);
    }
  };
}

interface Options<T extends ParameterTable, More extends z.ZodRawShape> {
  readonly parameters: Partial<ParameterValues<T>>;
  readonly more: z.infer<z.ZodObject<More>>;
}
