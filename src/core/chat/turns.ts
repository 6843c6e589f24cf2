import { pictureMark, type ChatMessage, type ToolCall } from './messages.ts';

/** Turns that a chat template may lose or refuse. */
export type TurnKind = keyof typeof rewrites | 'tool-result' | 'moved-system' | 'lost';

/** Effect of a template on turns: unchanged, merged into their neighbours, or refused. */
export type TurnFate = 'shown' | 'merged' | 'refused';

type Messages = readonly ChatMessage[];
type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

const isSystem = ({ role }: ChatMessage): boolean => role === 'system';
const isUser = ({ role }: ChatMessage): boolean => role === 'user';
const user = (content: string): ChatMessage => ({ role: 'user', content });
const callsOf = (message: ChatMessage): readonly ToolCall[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []) : [];

/** Rewrites that merge turns of a kind into their neighbours, in the order in which they are applied. */
const rewrites = {
  system(messages: Messages): Messages {
    const systems = messages.filter(isSystem);
    const turns = messages.filter((message) => !isSystem(message));
    return joined([...systems.map(({ content }) => user(content!)), ...turns], isUser, systems.length + 1);
  },
  'second-system': (messages: Messages): Messages => joined(messages, isSystem),
  'later-system'(messages: Messages): Messages {
    const lead = messages.findIndex((message) => !isSystem(message));
    if (lead === -1 || messages.findLastIndex(isSystem) < lead) return messages;
    const systemFirst = messages.toSorted((one, other) => Number(isSystem(other)) - Number(isSystem(one)));
    return joined(systemFirst, isSystem);
  },
  'lone-system': (messages: Messages): Messages =>
    messages.every(isSystem) ? messages.map(({ content }) => user(content!)) : messages,
  'call-first'(messages: Messages): Messages {
    const lead = messages.findIndex((message) => !isSystem(message));
    if (lead === -1 || callsOf(messages[lead]!).length === 0) return messages;
    return [...messages.slice(0, lead), user(' '), ...messages.slice(lead)];
  },
  'text-beside-call': (messages: Messages): Messages =>
    messages.flatMap((message): Messages => {
      if (message.role !== 'assistant' || !message.content || !message.toolCalls?.length) return [message];
      return [
        { role: 'assistant', content: message.content },
        { ...message, content: null },
      ];
    }),
  'parallel-calls': sequential,
  'assistants-in-a-row': (messages: Messages): Messages =>
    joined(messages, (message) => message.role === 'assistant' && callsOf(message).length === 0),
  'users-in-a-row': (messages: Messages): Messages => joined(messages, isUser),
  'out-of-turn': alternating,
} as const;

export const mergeableKinds = Object.keys(rewrites) as readonly (keyof typeof rewrites)[];

/** Merges turns of the given kinds into their neighbours. @param found gets the kinds that occurred */
export function mergeTurns(
  messages: Messages,
  kinds: ReadonlySet<TurnKind>,
  found?: Set<TurnKind>,
): Messages {
  let turns = messages;
  for (const kind of mergeableKinds) {
    if (!kinds.has(kind)) continue;
    const next = rewrites[kind](turns);
    if (next.length === turns.length && next.every((turn, index) => turn === turns[index])) continue;
    found?.add(kind);
    turns = next;
  }
  return turns;
}

/** Joins adjacent messages that are all chosen; `most`: only among that many first messages. */
function joined(messages: Messages, isChosen: (message: ChatMessage) => boolean, most = Infinity): Messages {
  const turns: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const last = turns.at(-1);
    if (index >= most || !last || !isChosen(last) || !isChosen(message)) turns.push(message);
    else {
      const content = [last.content, message.content].filter(Boolean).join('\n\n');
      turns[turns.length - 1] = { ...last, ...message, content } as ChatMessage;
    }
  }
  return turns;
}

/** Inserts blank turns so that user and assistant alternate, the user first; calls and results don't count. */
function alternating(messages: Messages): Messages {
  let last: ChatMessage['role'] | undefined;
  return messages.flatMap((message): Messages => {
    const { role } = message;
    if (role === 'system' || role === 'tool' || callsOf(message).length > 0) return [message];
    const isRight = role !== last && (last !== undefined || role === 'user');
    last = role;
    return isRight ? [message] : [role === 'user' ? { role: 'assistant', content: ' ' } : user(' '), message];
  });
}

/** Each call with its result behind it; the results follow the message of their calls. */
function sequential(messages: Messages): Messages {
  const turns: ChatMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at++]!;
    const calls = callsOf(message);
    if (message.role !== 'assistant' || calls.length < 2) {
      turns.push(message);
      continue;
    }
    const { content, reasoningContent } = message;
    const results: ToolMessage[] = [];
    for (let result = messages[at]; result?.role === 'tool'; result = messages[++at]) results.push(result);
    for (const [place, call] of calls.entries()) {
      const said = place === 0 ? { content, reasoningContent } : { content: null };
      const result = results.find(({ toolCallId }) => toolCallId === call.id);
      turns.push({ role: 'assistant', ...said, toolCalls: [call] }, ...(result ? [result] : []));
    }
  }
  return turns;
}

/**
 * Whether every text of a conversation is in its prompt, in order; of a call's arguments the last word. With `movesSystems`,
 * system messages may be anywhere: some templates move them.
 */
export function showsTurns(messages: Messages, prompt: string, { movesSystems = false } = {}): boolean {
  let at = 0;
  for (const message of messages) {
    const isMoved = movesSystems && message.role === 'system';
    let from = isMoved ? 0 : at;
    const texts = (message.content ?? '').split(pictureMark);
    for (const call of callsOf(message)) texts.push(/(\w*)\W*$/.exec(call.arguments.slice(-100))![1]!);
    for (const text of texts) {
      const start = prompt.indexOf(text.trim(), from);
      if (start < 0) return false;
      from = start + text.trim().length;
    }
    if (!isMoved) at = from;
  }
  return true;
}

/** The same turns with texts of their own that no template changes. */
export function twinOf(messages: Messages): Messages {
  return messages.map((message, index) => {
    const picture = message.content?.includes(pictureMark) ? pictureMark : '';
    const text = `${picture}Text that stands for number ${index}.`;
    const content = message.content?.trim() ? text : message.content;
    if (message.role !== 'assistant') return { ...message, content } as ChatMessage;
    const toolCalls = message.toolCalls?.map((call, place) => {
      return { ...call, arguments: JSON.stringify({ text: `argument_${index}_${place}` }) };
    });
    return { ...message, content, toolCalls };
  });
}
