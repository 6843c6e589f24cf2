import type { ToolCallFormat } from './format.ts';
import { createSectionParser } from './section-parser.ts';
import { readTaggedCall, type TaggedCallSyntax } from './tagged-calls.ts';
import { taggedConstraint } from './tagged-notation.ts';
import { writeTaggedCall } from './write-calls.ts';

const openTag = '<function name="';
/** Models leave the space out, or write its sign in the vocabulary. */
const otherOpenTags = ['<functionname="', '<functionĠname="'];
const closeTag = '</function>';

const syntax: TaggedCallSyntax = {
  nameEnd: ['">'],
  parameterOpen: '<param name="',
  otherParameterOpens: ['<paramname="', '<paramĠname="'],
  parameterNameEnd: ['">'],
  parameterClose: '</param>',
  callClose: closeTag,
  hasPaddedValues: false,
};

/** XML elements for calls and parameters, with values as plain text or CDATA. */
export const minicpm5Format: ToolCallFormat = {
  name: 'minicpm-5',
  example: `${openTag}get_weather"><param name="city">Paris</param>${closeTag}`,
  families: [{ name: 'MiniCPM 5', models: ['MiniCPM 5'] }],
  parallel: true,
  markers: [],
  openers: [openTag, ...otherOpenTags],
  createParser: createSectionParser({
    open: [openTag, ...otherOpenTags],
    end: [],
    readCalls: (input) => readTaggedCall(input, syntax),
  }),
  detect: ({ template }) =>
    template.includes(openTag) || (template.includes('<param name=') && template.includes('</function>')),
  constraint: taggedConstraint(syntax, { open: openTag }),
  write: (calls) => calls.map((call) => openTag + writeTaggedCall(call, syntax)).join('\n'),
};
