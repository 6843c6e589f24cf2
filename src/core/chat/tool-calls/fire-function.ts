import type { ToolCallFormat } from './format.ts';
import { jsonCallFrame } from './json-calls.ts';
import { phi4Format, functoolsMarker } from './phi-4.ts';

/** `functools` before a list of JSON objects. */
export const functoolsFormat: ToolCallFormat = {
  name: 'functools',
  example: ' functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
  families: [{ name: 'FireFunction', models: ['FireFunction v2'] }],
  parallel: true,
  markers: [],
  openers: [functoolsMarker],
  createParser: phi4Format.createParser,
  detect: ({ template }) => /\bfunctools\b/.test(template),
  constraint: {
    trigger: functoolsMarker,
    begin: functoolsMarker,
    call: (name) => jsonCallFrame(name),
    separator: ', ',
    end: ']',
  },
};
