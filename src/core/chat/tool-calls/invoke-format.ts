import type { AnswerInput, Reading } from './answer-input.ts';
import type { ModelFamily, ToolCallFormat } from './format.ts';
import { readJsonCalls } from './json-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

/** Format whose calls are `invoke` elements with a `parameter` element for each argument. */
export interface InvokeFormatOptions {
  readonly name: string;
  readonly families: readonly ModelFamily[];
  /** Tag around all calls, without `<` and `>`. */
  readonly section: string;
}

/** Makes a format of `invoke` elements inside a section. A section may also hold one call as a JSON object. */
export function createInvokeFormat({ name, families, section }: InvokeFormatOptions): ToolCallFormat {
  const begin = `<${section}>`;
  const end = `</${section}>`;
  const openTag = '<invoke name="';
  const syntax: TaggedCallSyntax = {
    nameEnd: ['">'],
    parameterOpen: '<parameter name="',
    parameterNameEnd: ['">'],
    parameterClose: '</parameter>',
    callClose: '</invoke>',
    hasPaddedValues: false,
  };

  function* readCalls(input: AnswerInput, marker: string): Reading {
    if (marker === begin) {
      yield* input.takeSpace();
      if ((yield* input.peekAny(['{'])) !== null) return yield* readJsonCalls(input);
      if ((yield* input.takeAny([openTag])) === null) return input.giveUp();
    }
    yield* readTaggedCall(input, syntax);
  }

  return {
    name,
    example: `${begin}\n${openTag}get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n${end}`,
    families,
    parallel: true,
    markers: [begin, end],
    openers: [begin],
    createParser: createSectionParser({ open: [begin, openTag], end: [end], readCalls }),
    constraint: taggedConstraint(
      syntax,
      { begin: `${begin}\n`, open: openTag, end: `\n${end}` },
      { open: openTag },
    ),
    write: (calls) =>
      `${begin}\n${calls.map((call) => `${openTag}${writeTaggedCall(call, syntax)}\n`).join('')}${end}`,
    detect: ({ template }) => template.includes(begin),
  };
}
