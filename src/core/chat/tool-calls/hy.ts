import type { ModelFamily, ToolCallFormat } from './format.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

interface HyOptions {
  readonly name: string;
  readonly families: readonly ModelFamily[];
  /** Stands at the end of every tag's name. */
  readonly suffix: string;
  /** Whether a tag separates the function's name from the parameters. */
  readonly hasSeparator: boolean;
}

/** The name, then a tag for each parameter's name and one for its value, inside a section of all calls. */
function createHyFormat({ name, families, suffix, hasSeparator }: HyOptions): ToolCallFormat {
  const tag = (word: string): string => `<${word}${suffix}>`;
  const [begin, end] = [tag('tool_calls'), tag('/tool_calls')];
  const [openTag, callClose] = [tag('tool_call'), tag('/tool_call')];
  const separator = hasSeparator ? [tag('tool_sep')] : [];
  const keyTags = [tag('arg_key'), tag('/arg_key')] as const;
  const valueTags = [tag('arg_value'), tag('/arg_value')] as const;
  const syntax: TaggedCallSyntax = {
    nameEnd: separator,
    parameterOpen: keyTags[0],
    parameterNameEnd: [keyTags[1], valueTags[0]],
    parameterClose: valueTags[1],
    callClose,
    hasPaddedValues: false,
  };
  const write = (calls: readonly { name: string; arguments: string }[]): string =>
    `${begin}\n${calls.map((call) => `${openTag}${writeTaggedCall(call, syntax)}\n`).join('')}${end}`;
  return {
    name,
    example: write([{ name: 'get_weather', arguments: '{"city": "Paris"}' }]),
    families,
    parallel: true,
    markers: [begin, end, openTag, callClose, ...separator, ...keyTags, ...valueTags],
    openers: [begin],
    createParser: createSectionParser({
      begin: [begin],
      open: [openTag],
      end: [end],
      *readCalls(input) {
        yield* input.takeSpace();
        yield* readTaggedCall(input, syntax);
      },
    }),
    constraint: taggedConstraint(syntax, {
      begin: `${begin}\n`,
      open: openTag,
      end: `\n${end}`,
    }),
    write,
    detect: ({ template, hasToken }) =>
      hasSeparator
        ? template.includes(separator[0]!) || hasToken(separator[0]!)
        : template.includes(begin) || hasToken(begin),
  };
}

/** Formats of Hy models; releases differ by the suffix of their tags. */
export const hyFormats: readonly ToolCallFormat[] = [
  createHyFormat({
    name: 'hy-3',
    families: [{ name: 'Hy3', models: ['Hy3'] }],
    suffix: ':opensource',
    hasSeparator: true,
  }),
  createHyFormat({
    name: 'hy-3-preview',
    families: [{ name: 'Hy3 preview', models: ['Hy3-preview'] }],
    suffix: '',
    hasSeparator: true,
  }),
  createHyFormat({
    name: 'hy-4',
    families: [{ name: 'Hy4 preview', models: ['Hy4-preview'] }],
    suffix: ':6124c78e',
    hasSeparator: false,
  }),
];
