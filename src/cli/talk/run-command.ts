import { defineCommand, exitCode } from '../command.ts';
import { unreadable, UsageError } from '../options.ts';
import { orThrow } from '../../errors.ts';
import { chatOptionTable, readChatParameters, withParameters } from './chat-options.ts';
import { readModel, readPicture, withChatModel, withText, printAnswer } from './open-chat-model.ts';

const defaultModel = 'tiny-chat';

export const command = defineCommand({
  name: 'run',
  operands: '[text]',
  summary: 'Prints the answer of a model to one prompt.',
  description: [
    'The answer goes to standard output while it is made. Input that is piped into the command follows the text of the prompt, or is the prompt.',
  ],
  options: withParameters({
    model: [
      '<model>',
      `A bundled model, a name of the catalogue, org/name on Hugging Face, a folder or an address; settings follow after commas: dtype, device, threads … Default: ${defaultModel}, a toy.`,
      'm',
    ],
    image: ['<file>…', 'A picture of the prompt; may be repeated.'],
    ...chatOptionTable,
  }),
  examples: {
    'slashv1 run "What is 2 + 3?"': 'the bundled model',
    'slashv1 run --model qwen3-0.6b --temperature 0 "Summarize:" < letter.txt':
      'a file after the instruction',
  },
  async run(values, operands, terminal) {
    const settings = readModel(values.model ?? defaultModel, values);
    const parameters = readChatParameters(values);
    const pictures = (values.image ?? []).map((path) =>
      orThrow(() => readPicture(path), unreadable('--image', path)),
    );
    const piped = await terminal.readPiped();
    const text = [operands.join(' '), piped?.trimEnd()].filter(Boolean).join('\n\n');
    if (text === '' && pictures.length === 0)
      throw new UsageError('Expected a text, or input that is piped into the command.');
    const messages = [
      ...(values.system === undefined ? [] : [{ role: 'system', content: values.system } as const]),
      { role: 'user', content: withText(text, pictures) } as const,
    ];
    return withChatModel(settings, terminal, async (model) => {
      const { isInterrupted } = await printAnswer(model, { ...parameters, messages }, terminal);
      return isInterrupted ? exitCode.interrupted : exitCode.success;
    });
  },
});
