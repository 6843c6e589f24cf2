import { z } from 'zod';
import { didYouMean } from '../core/text/suggest.ts';
import { firstIssue, meantFault } from './issues.ts';
import { abbreviate } from '../core/text/quote.ts';

/** @returns the path within the value, `keys[0].plan`, which may be empty, and the message */
export function settingsFault(schema: z.ZodType, value: unknown) {
  if (schema.safeParse(value).success) return undefined;
  const issue = firstIssue(schema, value);
  const { path, message } = meantFault(issue);
  const hint = issue.code === 'unrecognized_keys' ? `.${didYouMean(issue.keys[0]!, namesIn(schema))}` : '';
  return { place: toPath(path), reason: message + hint };
}

/** All member names anywhere in a value. */
function namesIn(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return namesIn(schema.unwrap());
  if (schema instanceof z.ZodObject) {
    const inner = Object.values(schema.shape).flatMap((one) => namesIn(one as z.ZodType));
    return [...Object.keys(schema.shape), ...inner];
  }
  if (schema instanceof z.ZodRecord) return namesIn(schema.valueType);
  if (schema instanceof z.ZodArray) return namesIn(schema.element);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(namesIn) : [];
}

/** `['auth', 'keys', 0]` → `auth.keys[0]` */
function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${abbreviate(String(part))}`,
    )
    .join('');
}
