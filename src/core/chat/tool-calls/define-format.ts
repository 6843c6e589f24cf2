import { recognizes, type Evidence } from '../evidence.ts';
import type { ToolCallFormat, WrittenCall } from './format.ts';
import { jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { createSectionParser, type SectionSyntax } from './section-parser.ts';
import { writeCalls, type ArgumentsWriter } from './write-calls.ts';

/** Data that tell one format from the others. */
export interface FormatRow extends Partial<
  Omit<ToolCallFormat, 'name' | 'families' | 'createParser' | 'detect'>
> {
  readonly name: string;
  /** Models by family. */
  readonly families: Readonly<Record<string, readonly string[]>>;
  /** Calls are read as JSON objects if not otherwise. */
  readonly calls: Omit<SectionSyntax, 'readCalls'> & Partial<SectionSyntax>;
  /** What shows the format; the first opener if left out. */
  readonly detect?: Evidence | ToolCallFormat['detect'] | undefined;
  /** One that only tokenizers of the format's models have. */
  readonly ownToken?: string | undefined;
  /** Left out where the arguments are written as JSON. */
  readonly writeArguments?: ArgumentsWriter | undefined;
}

const sampleCall = { name: 'get_weather', arguments: '{"city": "Paris"}' };

/** Makes a format of its row; without a constraint, calls are a list of JSON objects between its first markers. */
export function defineFormat({
  calls,
  families,
  detect,
  ownToken,
  writeArguments,
  ...row
}: FormatRow): ToolCallFormat {
  const { begin = [], open, close = [], end = [] } = calls;
  const { constraint = jsonListConstraint(open[0]!, end[0]) } = row;
  const evidence = detect ?? [...begin, ...open][0]!;
  const format = {
    parallel: constraint.separator !== null,
    markers: [...begin, ...end, ...open, ...close],
    openers: [...begin, ...open],
    createParser: createSectionParser({ readCalls: (input) => readJsonCalls(input), ...calls }),
    detect: typeof evidence === 'function' ? evidence : recognizes(evidence, ownToken),
    constraint,
    write: (written: readonly WrittenCall[]) => writeCalls({ constraint }, written, writeArguments),
    ...row,
    families: Object.entries(families).map(([name, models]) => ({ name, models })),
  };
  return { example: format.write([sampleCall]), ...format };
}
