import type { ToolCallFormat } from './format.ts';
import { jsonListConstraint, readJsonCalls } from './json-calls.ts';
import { createSectionParser, type SectionSyntax } from './section-parser.ts';
import { writeCalls } from './write-calls.ts';

/** Data that tell one format from the others. */
export interface FormatRow extends Partial<
  Omit<ToolCallFormat, 'name' | 'families' | 'createParser' | 'detect'>
> {
  readonly name: string;
  /** Models by family. */
  readonly families: Readonly<Record<string, readonly string[]>>;
  /** Calls are read as JSON objects if not otherwise. */
  readonly calls: Omit<SectionSyntax, 'readCalls'> & Partial<SectionSyntax>;
  /** Text of a template that shows the format; the first opener if left out. */
  readonly detect?: string | RegExp | ToolCallFormat['detect'] | undefined;
}

const sampleCall = { name: 'get_weather', arguments: '{"city": "Paris"}' };

/** Makes a format of its row; without a constraint, calls are a list of JSON objects between its first markers. */
export function defineFormat({ calls, families, detect, ...row }: FormatRow): ToolCallFormat {
  const { begin = [], open, close = [], end = [] } = calls;
  const { constraint = jsonListConstraint(open[0]!, end[0]) } = row;
  const evidence = detect ?? [...begin, ...open][0]!;
  const format = {
    parallel: constraint.separator !== null,
    markers: [...begin, ...end, ...open, ...close],
    openers: [...begin, ...open],
    createParser: createSectionParser({ readCalls: (input) => readJsonCalls(input), ...calls }),
    detect:
      typeof evidence === 'function'
        ? evidence
        : ({ template }: { template: string }) =>
            typeof evidence === 'string' ? template.includes(evidence) : evidence.test(template),
    constraint,
    ...row,
    families: Object.entries(families).map(([name, models]) => ({ name, models })),
  };
  return { example: writeCalls({ ...format, example: '' }, [sampleCall]), ...format };
}
