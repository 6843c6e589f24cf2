import type { ChatMessage } from './messages.ts';

/** Turns that a chat template may lose or refuse. */
export type TurnKind =
  | 'system'
  | 'lone-system'
  | 'second-system'
  | 'later-system'
  | 'users-in-a-row'
  | 'parallel-calls'
  | 'tool-result';

/** Fate of turns under a template: as they are, as a part of other ones, or refused. */
export type TurnFate = 'shown' | 'merged' | 'refused';

type Fates = Readonly<Partial<Record<TurnKind, TurnFate>>>;
type UserMessage = Extract<ChatMessage, { role: 'system' | 'user' }>;

const isSystem = ({ role }: ChatMessage): boolean => role === 'system';

/** The kinds of turns that a conversation has. */
export function turnKindsOf(messages: readonly ChatMessage[]): readonly TurnKind[] {
  const lead = messages.findIndex((message) => !isSystem(message));
  const kinds: Readonly<Record<TurnKind, boolean>> = {
    system: messages.some(isSystem),
    'lone-system': lead === -1 && messages.length > 0,
    'second-system': lead > 1 || (lead === -1 && messages.length > 1),
    'later-system': lead !== -1 && messages.slice(lead).some(isSystem),
    'users-in-a-row': messages.some(
      ({ role }, index) => role === 'user' && messages[index - 1]?.role === 'user',
    ),
    'parallel-calls': messages.some(
      (message) => message.role === 'assistant' && (message.toolCalls?.length ?? 0) > 1,
    ),
    'tool-result': messages.some(({ role }) => role === 'tool'),
  };
  return (Object.keys(kinds) as TurnKind[]).filter((kind) => kinds[kind]);
}

/**
 * Puts the turns that a template has no place for into others: system messages into the first one or, where there is no system
 * role, into the first turn of the user; turns of the user into one; parallel calls one after the other.
 */
export function mergeTurns(messages: readonly ChatMessage[], fates: Fates): readonly ChatMessage[] {
  const present = turnKindsOf(messages);
  const merges = (kind: TurnKind): boolean => fates[kind] === 'merged' && present.includes(kind);
  let turns = messages;
  if (merges('system') || merges('later-system')) turns = systemFirst(turns);
  if (merges('second-system') || turns !== messages) turns = joined(turns, 'system');
  if (merges('system') || merges('lone-system'))
    turns = turns.map((turn) => (turn.role === 'system' ? { ...turn, role: 'user' } : turn));
  if (merges('system')) turns = joined(turns, 'user', 2);
  if (merges('users-in-a-row')) turns = joined(turns, 'user');
  return merges('parallel-calls') ? sequential(turns) : turns;
}

function systemFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
}

/** Messages of a role that follow one another become one; only among the first `most`, where that is given. */
function joined(
  messages: readonly ChatMessage[],
  role: UserMessage['role'],
  most = Infinity,
): readonly ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const last = turns.at(-1);
    if (index < most && message.role === role && last?.role === role)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    else turns.push(message);
  }
  return turns;
}

/** Each call with its result behind it; the results follow the message of their calls. */
function sequential(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at++]!;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    if (message.role !== 'assistant' || calls.length < 2) {
      turns.push(message);
      continue;
    }
    const results = new Map<string, ChatMessage>();
    for (let result = messages[at]; result?.role === 'tool'; result = messages[++at]) {
      if (!results.has(result.toolCallId)) results.set(result.toolCallId, result);
    }
    const { content, reasoningContent } = message;
    for (const [place, call] of calls.entries()) {
      const said = place === 0 ? { content, reasoningContent } : { content: null };
      turns.push({ role: 'assistant', ...said, toolCalls: [call] });
      const result = results.get(call.id);
      if (result) turns.push(result);
    }
  }
  return turns;
}
