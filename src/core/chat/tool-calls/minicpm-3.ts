import type { ToolCallFormat } from './format.ts';
import { readPythonCalls } from './python-calls.ts';
import { createSectionParser } from './section-parser.ts';
import { writePythonCall } from './write-calls.ts';
import { pythonArguments, pythonCallFrame } from './python-notation.ts';

const openMarker = '<|tool_call_start|>';
const endMarker = '<|tool_call_end|>';

/** Python in a code block between markers. */
export const minicpm3Format: ToolCallFormat = {
  name: 'minicpm-3',
  example: `${openMarker}\n\`\`\`python\nget_weather(city="Paris")\n\`\`\`\n${endMarker}`,
  families: [{ name: 'MiniCPM3', models: ['MiniCPM3 4B'] }],
  parallel: true,
  markers: [openMarker, endMarker],
  openers: [openMarker],
  createParser: createSectionParser({
    open: [openMarker],
    close: ['```'],
    end: [endMarker],
    *readCalls(input) {
      yield* input.takeSpace();
      yield* input.takeAny(['```python', '```']);
      yield* readPythonCalls(input);
    },
  }),
  detect: ({ template }) =>
    template.includes(openMarker) &&
    (template.includes('```python') || template.includes('<|thought_start|>')),
  constraint: {
    trigger: openMarker,
    begin: `${openMarker}\n\`\`\`python\n`,
    call: pythonCallFrame,
    separator: '\n',
    end: `\n\`\`\`\n${endMarker}`,
    arguments: pythonArguments,
  },
  write: (calls) =>
    `${openMarker}\n\`\`\`python\n${calls.map(writePythonCall).join('\n')}\n\`\`\`\n${endMarker}`,
};
