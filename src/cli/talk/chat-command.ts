import type { ChatMessage, MessageContent } from '../../core/chat/messages.ts';
import { didYouMean } from '../../core/text/suggest.ts';
import { defineCommand, exitCode } from '../command.ts';
import { definitions } from '../help.ts';
import { oneModel } from '../model-settings.ts';
import type { OpenModel } from '../open-model.ts';
import type { Terminal } from '../terminal.ts';
import {
  chatOptionTable,
  readChatParameters,
  withParameters,
  type ChatParameterValues,
} from './chat-options.ts';
import { readModel, withChatModel, withPictures, printAnswer } from './open-chat-model.ts';

type Message = ChatMessage<MessageContent>;

const slashCommands = {
  '/help': 'Show this list.',
  '/clear': 'Forget the conversation.',
  '/system': 'Set the instructions for the model to the text that follows; without one, remove them.',
  '/exit': 'Leave; so do Ctrl-D, and Ctrl-C at the prompt.',
} as const;

export const command = defineCommand({
  name: 'chat',
  operands: '<model>',
  summary: 'Talks with a model in this terminal.',
  description: [
    'A model is a bundled one, a name of the catalogue, org/name on Hugging Face, a folder or an address; settings follow after commas, such as dtype=q4 or device=webgpu. It is downloaded if needed.',
    'Paths of pictures in a message attach them. /help lists the commands within the conversation; Ctrl-C stops an answer.',
  ],
  options: withParameters(chatOptionTable),
  examples: {
    'slashv1 chat tiny-chat': 'the bundled model, a toy',
    'slashv1 chat qwen3-0.6b,dtype=q4 --temperature 0.3': 'a model of the catalogue, in four bits',
    'slashv1 chat ./models/my-model --system "Answer in one sentence."': 'a folder, with instructions',
  },
  async run(values, operands, terminal) {
    const settings = readModel(oneModel(operands), values);
    const parameters = readChatParameters(values);
    return withChatModel(settings, terminal, async (model) => {
      await converse(model, { terminal, parameters, system: values.system });
      return exitCode.success;
    });
  },
});

interface Conversation {
  readonly terminal: Terminal;
  readonly parameters: ChatParameterValues;
  readonly system: string | undefined;
}

async function converse(model: OpenModel, { terminal, parameters, system: firstSystem }: Conversation) {
  const { messages, output } = terminal;
  const { dim, cyan, red } = messages.style;
  const tell = (text: string): void => messages.write(`${text}\n`);
  let system = firstSystem;
  let history: readonly Message[] = [];
  if (terminal.isInteractive)
    tell(dim(`${model.model}, ${model.contextLength} tokens. /help lists the commands.`));
  for (;;) {
    const line = (await terminal.readLine(cyan('> ')))?.trim();
    if (line === undefined) {
      if (terminal.isInteractive) tell('');
      return;
    }
    const [, word, text] = /^(\/[a-z]+)(?:\s+(.*))?$/s.exec(line) ?? [];
    if (line === '') continue;
    if (word === '/exit') return;
    if (word !== undefined) heed(word, text);
    else await answer(line);
  }

  function heed(word: string, text: string | undefined): void {
    if (word === '/help') return tell(definitions(Object.entries(slashCommands), messages.columns, cyan));
    if (word === '/clear') history = [];
    else if (word === '/system') system = text;
    else tell(`There is no command ${word}.${didYouMean(word, Object.keys(slashCommands))}`);
  }

  async function answer(line: string): Promise<void> {
    try {
      const asked: readonly Message[] = [...history, { role: 'user', content: withPictures(line) }];
      const instructions: readonly Message[] =
        system === undefined ? [] : [{ role: 'system', content: system }];
      const request = { ...parameters, messages: [...instructions, ...asked] };
      const { text } = await printAnswer(model, request, terminal);
      if (text !== '') history = [...asked, { role: 'assistant', content: text }];
      if (terminal.isInteractive) output.write('\n');
    } catch (error) {
      // Forgets the unanswered message, so that the next one can be answered.
      tell(`${red('slashv1:')} ${(error as Error).message}`);
    }
  }
}
