import { writeExact } from '../text/exact-json.ts';
import type { ChatMessage, ToolDefinition } from './messages.ts';
import type { ToolCallFormat } from './tool-calls/format.ts';

/** Describes functions and how to call them, for models with a template that ignores tools. */
export function describeTools(tools: readonly ToolDefinition[], format: ToolCallFormat): string {
  const call = (name: string) => ({ name, arguments: '{"parameter": "value"}' });
  const example = format.write([call('function_name')]);
  const definitions = tools.map(({ name, description, parameters }) => {
    return writeExact({ name, description, parameters });
  });
  const several = format.parallel
    ? `\n\nSeveral calls look like this:\n${format.write([call('first_function'), call('second_function')])}`
    : '';
  return `You can call functions. Each line describes one, with a JSON Schema of its parameters:
${definitions.join('\n')}

To call a function, answer with its name and arguments in exactly this form:
${example}${several}

Call a function only where it helps. Write nothing after a call: its result is in the next message. Answer in plain text where no function is needed.`;
}

/**
 * Adds an instruction to a conversation: to its system message or, if the template doesn't support system messages, to the first
 * message of the user.
 */
export function instruct(
  messages: readonly ChatMessage[],
  instruction: string,
  { hasSystemRole }: { hasSystemRole: boolean },
): readonly ChatMessage[] {
  const [first] = messages;
  if (first?.role === 'system')
    return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...messages.slice(1)];
  if (hasSystemRole) return [{ role: 'system', content: instruction }, ...messages];
  const asked = messages.find((message) => message.role === 'user');
  return messages.map((message) =>
    message === asked ? { ...asked, content: `${instruction}\n\n${asked.content}` } : message,
  );
}

/**
 * Writes past calls and their results as plain messages of the assistant and the user, for templates that ignore them. Adjacent
 * results and the user's text after them become one message, since many templates require alternating roles.
 */
export function writeToolTurns(
  messages: readonly ChatMessage[],
  format: ToolCallFormat,
): readonly ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const turn = plainTurn(message, format);
    const last = turns.at(-1);
    const isBehindResult = messages[index - 1]?.role === 'tool' && turn.role === 'user';
    if (isBehindResult && last?.role === 'user')
      turns[turns.length - 1] = { ...last, content: `${last.content}\n${turn.content}` };
    else turns.push(turn);
  }
  return turns;
}

function plainTurn(message: ChatMessage, format: ToolCallFormat): ChatMessage {
  if (message.role === 'tool')
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
  if (message.role !== 'assistant' || !message.toolCalls?.length) return message;
  const { toolCalls, ...rest } = message;
  return { ...rest, content: [message.content, format.write(toolCalls)].filter(Boolean).join('\n') };
}
