import { recognizes, type Evidence } from '../evidence.ts';
import { framedCalls, type CallsFrame } from './call-frame.ts';
import type { ToolCallConstraint, ToolCallFormat, WrittenCall } from './format.ts';
import { jsonCallFrame, jsonListConstraint, readJsonCalls } from './json-calls.ts';
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
  /** Evidence of the format; the first opener if left out. */
  readonly detect?: Evidence | ToolCallFormat['detect'] | undefined;
  /** One that only tokenizers of the format's models have. */
  readonly ownToken?: string | undefined;
  /** The texts around calls; without it and a constraint, calls are a list of JSON objects between the first markers. */
  readonly frame?: CallsFrame | undefined;
  /** The texts around the arguments inside the frame; those of a JSON object if left out. */
  readonly call?: ToolCallConstraint['call'] | undefined;
  /** Members of the constraint beside frame and call. */
  readonly notation?: Partial<ToolCallConstraint> | undefined;
  /** Left out where the arguments are written as JSON. */
  readonly writeArguments?: ArgumentsWriter | undefined;
}

const sampleCall = { name: 'get_weather', arguments: '{"city": "Paris"}' };

/** Makes a format of its row. */
export function defineFormat(whole: FormatRow): ToolCallFormat {
  const { calls, families, detect, ownToken, frame, call, notation, writeArguments, ...row } = whole;
  const { begin = [], open, close = [], end = [] } = calls;
  const framed = frame && framedCalls(frame, call ?? ((name) => jsonCallFrame(name)), notation);
  const { constraint = framed ?? jsonListConstraint(open[0]!, end[0]) } = row;
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
