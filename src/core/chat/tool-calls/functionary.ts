import { createScriptedParser, type AnswerInput, type Reading } from './answer-input.ts';
import { namedCall } from './call-frame.ts';
import { defineFormat } from './define-format.ts';
import type { ToolCallFormat } from './format.ts';
import { readJsonArguments, readName } from './json-calls.ts';

const openTag = '<function=';
const endTag = '</function>';

/** JSON between tags that hold the name. */
export const functionaryV31Format = defineFormat({
  name: 'functionary-v3.1',
  families: { 'Functionary v3.1': ['Functionary Small v3.1', 'Functionary Medium v3.1'] },
  calls: {
    open: [openTag],
    end: [endTag],
    *readCalls(input) {
      const name = yield* readName(input);
      if ((yield* input.takeAny(['>'])) === null) input.giveUp();
      else yield* readJsonArguments(input, name);
    },
  },
  frame: { open: openTag, close: endTag, separator: '' },
  call: namedCall('>'),
});

const recipientMarker = '>>>';

/** `>>>`, the recipient, and JSON on the next line; the recipient `all` is the user. The prompt ends with the first `>>>`. */
export const functionaryV32Format: ToolCallFormat = {
  name: 'functionary-v3.2',
  example: 'all\nLet me see.>>>get_weather\n{"city": "Paris"}',
  families: [{ name: 'Functionary v3.2', models: ['Functionary Small v3.2', 'Functionary Medium v3.2'] }],
  parallel: true,
  markers: [recipientMarker],
  openers: [],
  createParser: (tools, options) =>
    createScriptedParser(
      function* (input) {
        do yield* readMessage(input);
        while ((yield* input.takeTextUntil([recipientMarker])) !== null);
      },
      tools,
      options,
    ),
  detect: ({ template }) => />>>(all\b|\$\{recipient\})/.test(template),
  write: (calls) => calls.map(({ name, arguments: text }) => `${recipientMarker}${name}\n${text}`).join(''),
  constraint: {
    lead: recipientMarker,
    begin: '',
    call: (name) => ({ prefix: `${name}\n`, suffix: '' }),
    separator: recipientMarker,
    end: '',
  },
};

function* readMessage(input: AnswerInput): Reading {
  const recipient = yield* readName(input);
  const mayBe = input.canReadAgain || recipient === 'all' || input.toolNamed(recipient) !== undefined;
  if (recipient === '' || !mayBe || (yield* input.takeAny(['\n'])) === null) input.giveUp();
  else if (recipient === 'all') input.drop();
  else yield* readJsonArguments(input, recipient);
}
