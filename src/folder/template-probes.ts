import type { ChatMessage, ToolDefinition } from '../core/chat/messages.ts';
import { mergeTurns, type TurnFate, type TurnKind } from '../core/chat/turns.ts';

/** A kind of turns, and the conversations that show whether a template has a place for them. */
export interface TemplateProbe {
  readonly kind: TurnKind;
  /** The name of such turns in messages and docs. */
  readonly title: string;
  /** The way in which they are merged. */
  readonly merged: string;
  readonly conversations: readonly (readonly ChatMessage[])[];
}

/** Fates of all kinds of turns under a template. */
export type TurnFates = Readonly<Record<TurnKind, TurnFate>>;

export const probeTool: ToolDefinition = {
  name: 'function_that_probes',
  description: 'Description.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'Text.' } },
    required: ['text'],
  },
};

const system = (content: string): ChatMessage => ({ role: 'system', content });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const answer: ChatMessage = { role: 'assistant', content: 'Answer that probes.' };
const calling = (...texts: readonly string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: texts.map((text, index) => ({
    id: `callprob${index}`,
    name: probeTool.name,
    arguments: JSON.stringify({ text }),
  })),
});
const result = (content: string, index = 0): ChatMessage => ({
  role: 'tool',
  toolCallId: `callprob${index}`,
  name: probeTool.name,
  content,
});
const [first, second] = [system('Instruction that probes.'), system('Second rule that probes.')];
const texts = {
  question: 'Question that probes.',
  argument: 'argument_that_probes',
  result: 'Result that probes.',
};
const [asked, more] = [user(texts.question), user('Second question that probes.')];
const called = [asked, calling(texts.argument), result(texts.result)];

/** Conversations that every template is tried with: a question, alone and behind an instruction, and a call with its result. */
export const probes = {
  ...texts,
  call: { name: probeTool.name, arguments: JSON.stringify({ text: texts.argument }) },
  starts: [[asked], [first, asked]],
  called,
};

/** In the order in which they are tried: later ones are merged as earlier ones are. */
export const templateProbes: readonly TemplateProbe[] = [
  {
    kind: 'system',
    title: 'a system message',
    merged: "into the user's first turn",
    conversations: [[first, asked]],
  },
  {
    kind: 'second-system',
    title: 'a second system message, or one of a developer, behind the first',
    merged: 'into the first system message',
    conversations: [[first, second, asked]],
  },
  {
    kind: 'later-system',
    title: 'a system message in the middle or at the end',
    merged: 'into the first system message',
    conversations: [
      [first, asked, answer, second, more],
      [asked, answer, first, more],
      [first, asked, second],
    ],
  },
  {
    kind: 'lone-system',
    title: 'a system message alone',
    merged: 'as a turn of the user',
    conversations: [[first]],
  },
  {
    kind: 'users-in-a-row',
    title: 'two turns of the user in a row',
    merged: 'into one',
    conversations: [[asked, more]],
  },
  {
    kind: 'tool-result',
    title: 'a call with its result',
    merged: 'as plain turns',
    conversations: [called],
  },
  {
    kind: 'parallel-calls',
    title: 'two parallel calls',
    merged: 'one call after the other',
    conversations: [
      [
        asked,
        calling(texts.argument, 'second_argument'),
        result(texts.result),
        result('Second result that probes.', 1),
      ],
    ],
  },
];

/** Finds out what becomes of each kind of turns. */
export function probeTurns(render: (messages: readonly ChatMessage[]) => string | undefined): TurnFates {
  const fates: Partial<Record<TurnKind, TurnFate>> = {};
  const shows = (conversation: readonly ChatMessage[]): boolean => {
    const prompt = render(mergeTurns(conversation, fates));
    return prompt !== undefined && conversation.flatMap(textsOf).every((text) => prompt.includes(text));
  };
  for (const { kind, conversations } of templateProbes) {
    fates[kind] = 'shown';
    if (conversations.every(shows)) continue;
    fates[kind] = 'merged';
    if (!conversations.every(shows)) fates[kind] = 'refused';
  }
  return fates as TurnFates;
}

function textsOf(message: ChatMessage): string[] {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [
    ...(message.content === null ? [] : [message.content]),
    ...calls.map((call) => (JSON.parse(call.arguments) as { readonly text: string }).text),
  ];
}
