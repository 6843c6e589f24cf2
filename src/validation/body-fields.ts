import { z } from 'zod';

/** A field of a body that is true or false, may be left out, and is left out where it is `null`. */
export function flagField(description: string, usual?: boolean): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  const documentation = usual === undefined ? { description } : { description, default: usual };
  return z.boolean().nullish().meta(documentation);
}

/** As `flagField`, for a text. */
export function textField(description: string): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return z.string().nullish().meta({ description });
}
