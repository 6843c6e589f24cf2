/** The content of a `scheduler_config.json`. */
export type SchedulerConfig = Readonly<Record<string, unknown>>;

export type ConfigReader = ReturnType<typeof readConfig>;

/**
 * Reads and checks a scheduler's settings; a setting that is absent or `null` has its default.
 * @throws TypeError or RangeError from its methods, with the setting, its value and the expectation
 */
export function readConfig(config: SchedulerConfig) {
  const read = (name: string): unknown => config[name] ?? undefined;
  return {
    number(name: string, byDefault: number): number {
      const value = read(name) ?? byDefault;
      if (typeof value !== 'number' || Number.isNaN(value)) throw mismatch(name, 'a number', value);
      return value;
    },
    flag(name: string, byDefault: boolean): boolean {
      const value = read(name) ?? byDefault;
      if (typeof value !== 'boolean') throw mismatch(name, 'a boolean', value);
      return value;
    },
    choice<C extends string>(name: string, choices: readonly C[], byDefault: C): C {
      const value = read(name) ?? byDefault;
      if ((choices as readonly unknown[]).includes(value)) return value as C;
      throw new RangeError(`${name}: expected one of ${choices.join(', ')}, got ${JSON.stringify(value)}`);
    },
    numbers(name: string): readonly number[] | undefined {
      const value = read(name);
      if (value === undefined) return undefined;
      if (Array.isArray(value) && value.every((entry) => Number.isFinite(entry))) return value as number[];
      throw mismatch(name, 'a list of numbers', value);
    },
    /** @throws RangeError if any of these settings is on */
    refuse(names: readonly string[]): void {
      for (const name of names) {
        if (read(name)) throw new RangeError(`${name}: not supported, expected it to be off`);
      }
    },
  };
}

function mismatch(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${name}: expected ${expected}, got ${JSON.stringify(value)}`);
}
