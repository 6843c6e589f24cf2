import { z } from 'zod';

/** An optional boolean field of a body; `null` counts as absent. */
export function flagField(description: string, preset?: boolean): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  const documentation = preset === undefined ? { description } : { description, default: preset };
  return z.boolean().nullish().meta(documentation);
}

/** Like `flagField`, for a text. */
export function textField(description: string): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return z.string().nullish().meta({ description });
}
