import { readFileSync } from 'node:fs';

interface Golden {
  readonly vocabulary: {
    readonly endOfText: number;
    readonly noTimestamps: number;
    readonly timestampBegin: number;
  };
  readonly rules: readonly {
    readonly limit: number | null;
    readonly tokens: readonly number[];
    readonly eighths: readonly number[];
    readonly allowed: readonly number[];
  }[];
  readonly splits: readonly {
    readonly tokens: readonly number[];
    readonly positions: number;
    readonly segments: readonly (readonly [number, number])[];
    readonly consumed: number;
  }[];
  readonly warpings: readonly {
    readonly rows: number;
    readonly columns: number;
    readonly costs: readonly number[];
    readonly path: readonly [readonly number[], readonly number[]];
  }[];
  readonly medians: readonly {
    readonly width: number;
    readonly values: readonly number[];
    readonly filtered: readonly number[];
  }[];
  readonly alignments: readonly {
    readonly rows: number;
    readonly columns: number;
    readonly start: number;
    readonly end: number;
    readonly heads: readonly (readonly number[])[];
    readonly times: readonly number[];
  }[];
}

/** What the reference implementation does; see `golden/generate.py`. */
export const golden = JSON.parse(
  readFileSync(new URL('golden/whisper.json', import.meta.url), 'utf8'),
) as Golden;
