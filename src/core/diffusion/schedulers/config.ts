/** The content of a `scheduler_config.json`. */
export type SchedulerConfig = Readonly<Record<string, unknown>>;

/** Reads and checks a scheduler's settings; a setting that is absent or `null` has its default. */
export interface ConfigReader {
  number(name: string, byDefault: number): number;
  flag(name: string, byDefault: boolean): boolean;
  choice<C extends string>(name: string, choices: readonly C[], byDefault: C): C;
  numbers(name: string): readonly number[] | undefined;
  /** @throws RangeError if any of these settings is on */
  refuse(names: readonly string[]): void;
}

/** @throws TypeError or RangeError from its methods, with the setting, its value and the expectation */
export function readConfig(config: SchedulerConfig): ConfigReader {
  const read = (name: string): unknown => config[name] ?? undefined;
  return {
    number(name, byDefault) {
      const value = read(name) ?? byDefault;
      if (typeof value !== 'number' || Number.isNaN(value)) throw mismatch(name, 'a number', value);
      return value;
    },
    flag(name, byDefault) {
      const value = read(name) ?? byDefault;
      if (typeof value !== 'boolean') throw mismatch(name, 'a boolean', value);
      return value;
    },
    choice(name, choices, byDefault) {
      const value = read(name) ?? byDefault;
      if ((choices as readonly unknown[]).includes(value)) return value as (typeof choices)[number];
      throw new RangeError(`${name}: expected one of ${choices.join(', ')}, got ${JSON.stringify(value)}`);
    },
    numbers(name) {
      const value = read(name);
      if (value === undefined) return undefined;
      if (Array.isArray(value) && value.every((entry) => Number.isFinite(entry))) return value as number[];
      throw mismatch(name, 'a list of numbers', value);
    },
    refuse(names) {
      for (const name of names) {
        if (read(name)) throw new RangeError(`${name}: not supported, expected it to be off`);
      }
    },
  };
}

function mismatch(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${name}: expected ${expected}, got ${JSON.stringify(value)}`);
}
