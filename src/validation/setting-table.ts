import { z } from 'zod';
import { numberSchema, type NumberBounds } from './number-schema.ts';
import { expecting } from './expecting.ts';

/** Types, checks, the command line and the docs derive from it. */
export type SettingTable = Readonly<Record<string, z.ZodType>>;

/** A schema without transforms. */
export type SchemaOf<T> = z.ZodType<T, T>;

/** The values of a settings table; all optional. */
export type SettingsOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: z.infer<Table[Name]> | undefined;
};

type ReadonlyList<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
type Optional<Table> = {
  [Name in keyof Table]: Table[Name] extends z.ZodOptional | z.ZodDefault | z.ZodPrefault ? Name : never;
}[keyof Table];
type Inputs<Table extends SettingTable> = {
  readonly [Name in keyof Table]: ReadonlyList<z.input<Table[Name]>>;
};

/** The values of a table as a caller writes them. Editors show the table's comments, which an `as` clause would lose. */
export type InputsOf<Table extends SettingTable> = Omit<Inputs<Table>, Optional<Table>> &
  Partial<Pick<Inputs<Table>, Optional<Table>>>;

/** The same with their defaults. */
export type OutputsOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: ReadonlyList<z.output<Table[Name]>>;
};

export function integerSetting(
  description: string,
  bounds: NumberBounds = { min: 1 },
): z.ZodOptional<z.ZodNumber> {
  return numberSchema({ type: 'int', ...bounds })
    .optional()
    .describe(description);
}

export function numberSetting(description: string, bounds: NumberBounds): z.ZodOptional<z.ZodNumber> {
  return numberSchema({ type: 'float', ...bounds })
    .optional()
    .describe(description);
}

export function textSetting(description: string): z.ZodOptional<z.ZodString> {
  const fault = expecting('a text');
  return z.string(fault).min(1, fault).optional().describe(description);
}

export function booleanSetting(description: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(description);
}

export function choiceSetting<const Word extends string>(
  description: string,
  words: readonly Word[],
): z.ZodOptional<z.ZodEnum<{ [W in Word]: W }>> {
  return z.enum(words).optional().describe(description);
}

/** A value that only code can provide, not a JSON file. */
export function objectSetting<T>(
  description: string,
  expected: string,
  isOne: (value: unknown) => boolean = (value) => typeof value === 'object' && value !== null,
): z.ZodOptional<z.ZodCustom<T, T>> {
  return z.custom<T>(isOne, expecting(expected)).optional().describe(description);
}
