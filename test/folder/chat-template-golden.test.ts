import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ToolDefinition } from '../../src/core/chat/messages.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { folderOf } from './folders.ts';

interface WireMessage {
  readonly role: ChatMessage['role'];
  readonly content: string | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { name: string; arguments: string };
  }[];
}

interface Golden {
  readonly now: readonly [number, number, number, number, number, number];
  readonly specialTokens: Readonly<Record<string, string>>;
  /** By template and conversation. */
  readonly renderings: Readonly<Record<string, Readonly<Record<string, Rendering>>>>;
}

type Rendering =
  | { readonly text: string }
  /** What the template raised itself. */
  | { readonly refusal: string }
  /** What Jinja raised, and the text with empty contents in place of missing ones, unless that fails too. */
  | { readonly failure: string; readonly completed?: string };

interface Conversations {
  readonly tools: readonly { readonly function: ToolDefinition }[];
  readonly conversations: Readonly<
    Record<string, { readonly messages: readonly WireMessage[]; readonly tools?: boolean }>
  >;
}

const read = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');
const { now, specialTokens, renderings } = JSON.parse(read('renderings.json')) as Golden;
const { tools, conversations } = JSON.parse(read('conversations.json')) as Conversations;
const [year, month, ...time] = now;
const clock = () => new Date(year, month - 1, ...time);

describe.each(Object.keys(renderings))('the template %s', (name) => {
  const template = createChatTemplate(
    folderOf({ chatTemplate: read(`templates/${name}.jinja`), tokenizerConfig: specialTokens }),
    { now: clock },
  );

  it.each(Object.entries(renderings[name] ?? {}))('renders %s as the reference does', (key, golden) => {
    const conversation = conversations[key];
    if (!conversation) throw new Error(`no conversation ${key}`);
    const render = () =>
      template.render(
        conversation.messages.map(toMessage),
        conversation.tools ? tools.map((tool) => tool.function) : [],
      );
    if ('text' in golden) expect(render()).toBe(golden.text);
    else if ('refusal' in golden) expect(render).toThrow(golden.refusal);
    else if (golden.completed !== undefined) expect(render()).toBe(golden.completed);
    else expect(render).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'messages' }));
  });
});

it('has a golden rendering of every template', () => {
  const templates = readdirSync(new URL('golden/templates', import.meta.url));
  expect(templates.map((file) => file.replace('.jinja', '')).toSorted()).toEqual(
    Object.keys(renderings).toSorted(),
  );
});

function toMessage(message: WireMessage): ChatMessage {
  const { role, content, name } = message;
  if (role === 'tool') return { role, content: content ?? '', toolCallId: message.tool_call_id ?? '', name };
  if (role !== 'assistant') return { role, content: content ?? '', name };
  return {
    role,
    content,
    reasoningContent: message.reasoning_content,
    toolCalls: message.tool_calls?.map((call) => ({ id: call.id, ...call.function })),
  };
}
