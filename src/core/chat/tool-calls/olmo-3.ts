import type { ToolCallFormat } from './format.ts';
import { readPythonCalls } from './python-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { writePythonCall } from './write-calls.ts';
import { pythonArguments, pythonCallFrame } from './python-notation.ts';

const openTag = '<function_calls>';
const closeTag = '</function_calls>';

/** Python calls, one a line, between tags. */
export const olmo3Format: ToolCallFormat = {
  name: 'olmo-3',
  example: `${openTag}get_weather(city="Paris")${closeTag}`,
  families: [{ name: 'OLMo 3', models: ['OLMo 3 7B', 'OLMo 3 32B'] }],
  parallel: true,
  markers: [openTag, closeTag],
  openers: [openTag],
  createParser: createSectionParser({
    open: [openTag],
    end: [closeTag],
    readCalls: readPythonCalls,
  }),
  detect: ({ template }) => template.includes(openTag),
  constraint: {
    trigger: openTag,
    begin: openTag,
    call: pythonCallFrame,
    separator: '\n',
    end: closeTag,
    arguments: pythonArguments,
  },
  write: (calls) => `${openTag}${calls.map(writePythonCall).join('\n')}${closeTag}`,
};
