import type { ChatMessage, ToolDefinition } from '../core/chat/messages.ts';
import { mergeTurns, showsTurns, type TurnFate, type TurnKind } from '../core/chat/turns.ts';

/** A kind of turns, and the conversations that show whether a template supports it. */
export interface TemplateProbe {
  readonly kind: TurnKind;
  /** The name of these turns in messages and docs. */
  readonly title: string;
  /** How they are merged. */
  readonly merged: string;
  readonly conversations: readonly (readonly ChatMessage[])[];
}

/** How a template treats each kind of turns. */
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
const saying = { ...calling(texts.argument), content: answer.content } as ChatMessage;
const called = [asked, calling(texts.argument), result(texts.result)];

/**
 * Conversations for probing every template: a question, with and without an instruction before it, and a call with its result.
 */
export const probes = {
  ...texts,
  id: 'callprob0',
  starts: [[asked], [first, asked]],
  called,
};

const probe = (
  kind: TurnKind,
  title: string,
  merged: string,
  ...conversations: readonly (readonly ChatMessage[])[]
): TemplateProbe => ({ kind, title, merged, conversations });

/** In the order of probing: later kinds are merged like earlier ones. */
export const templateProbes: readonly TemplateProbe[] = [
  probe('system', 'a system message', "into the user's first turn", [first, asked]),
  probe(
    'second-system',
    'a second system message, or one of a developer, behind the first',
    'into the first system message',
    [first, second, asked],
  ),
  probe(
    'later-system',
    'a system message in the middle or at the end',
    'into the first system message',
    [first, asked, answer, second, more],
    [asked, answer, first, more],
    [first, asked, second],
  ),
  probe('lone-system', 'a system message alone', 'as a turn of the user', [first]),
  probe('users-in-a-row', 'two turns of the user in a row', 'into one', [asked, more]),
  probe('assistants-in-a-row', 'two turns of the assistant in a row', 'into one', [
    asked,
    answer,
    { role: 'assistant', content: 'Second answer that probes.' },
    more,
  ]),
  probe('tool-result', 'a call with its result', 'as plain turns', called),
  probe('parallel-calls', 'two parallel calls', 'one call after the other', [
    asked,
    calling(texts.argument, 'second_argument'),
    result(texts.result),
    result('Second result that probes.', 1),
  ]),
  probe('text-beside-call', 'a text beside a call', 'into a turn before it', [
    asked,
    saying,
    result(texts.result),
  ]),
  probe(
    'out-of-turn',
    "the assistant first, or the user behind a call's result",
    'with a blank turn between',
    [answer, asked],
    [...called, more],
  ),
  probe('call-first', 'a call before any other turn', 'behind a blank turn of the user'),
  probe('moved-system', 'a system message in another place', 'where the template has it'),
  probe('lost', 'a text that is lost in every form', "not shown: the model doesn't see it"),
];

/** Detects how each kind of turns must be treated. */
export function probeTurns(render: (messages: readonly ChatMessage[]) => string | undefined): TurnFates {
  const fates: Partial<Record<TurnKind, TurnFate>> = {};
  const merged = new Set<TurnKind>();
  const shows = (conversation: readonly ChatMessage[]): boolean => {
    const turns = mergeTurns(conversation, merged);
    const prompt = render(turns);
    return prompt !== undefined && showsTurns(turns, prompt, { movesSystems: true });
  };
  for (const { kind, conversations } of templateProbes) {
    fates[kind] = 'shown';
    if (conversations.every(shows)) continue;
    merged.add(kind);
    fates[kind] = conversations.every(shows) ? 'merged' : 'refused';
    if (fates[kind] === 'refused') merged.delete(kind);
  }
  return fates as TurnFates;
}
