import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromMessagesRequest } from '../../src/categories/chat/wire/messages/read.ts';
import { fromResponsesRequest } from '../../src/categories/chat/wire/responses/read.ts';
import { detectFormats } from '../../src/core/chat/formats.ts';
import {
  toTextMessage,
  type ChatMessage,
  type MessageContent,
  type ToolDefinition,
} from '../../src/core/chat/messages.ts';
import { createChatTemplate, type ChatTemplate } from '../../src/folder/chat-template.ts';
import { withEveryTurn } from '../../src/folder/every-turn.ts';
import type { ModelFolder } from '../../src/contracts/text-model.ts';
import { probeTool, templateProbes } from '../../src/folder/template-probes.ts';
import { withTools } from '../../src/folder/tool-template.ts';

/** Published templates, one a file. */
const folder = join(process.env['SLASHV1_REAL_MODELS'] ?? '', 'chat-templates');
const isThere = Boolean(process.env['SLASHV1_REAL_MODELS']) && existsSync(folder);
const names = isThere ? readdirSync(folder).filter((name) => name.endsWith('.jinja')) : [];

function templateOf(name: string): ChatTemplate {
  const chatTemplate = readFileSync(join(folder, name), 'utf8');
  const tokenizerConfig = { bos_token: '<s>', eos_token: '</s>' };
  const template = withEveryTurn(
    createChatTemplate({ chatTemplate, tokenizerConfig, path: name } as unknown as ModelFolder),
  );
  const { source, probe } = template;
  const formats = detectFormats({ template: source, render: probe, hasToken: () => false });
  return withTools({ template, formats }, {}).template;
}

const shell = {
  type: 'object',
  properties: { command: { type: 'array', items: { type: 'string' } } },
  required: ['command'],
};
const message = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
});
/** The first request of Codex: instructions, an item of a developer, surroundings and the task as turns of the user. */
const codex = fromResponsesRequest({
  model: 'm',
  instructions: 'You are a coding agent.',
  input: [
    message('developer', 'Sandbox: read-only.'),
    message('user', '<environment_context>cwd: /tmp</environment_context>'),
    message('user', 'Fix the test.'),
  ],
  tools: [
    { type: 'function', name: 'shell', description: 'Runs a command.', parameters: shell, strict: false },
  ],
  store: false,
}).request;
/** That of Claude Code: two blocks of the system, reminders as turns of the system. */
const claude = fromMessagesRequest({
  model: 'm',
  max_tokens: 64,
  system: [
    { type: 'text', text: 'You are a coding assistant.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be concise.' },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Fix the test.' }] },
    { role: 'system', content: 'The list of tasks is empty.' },
  ],
  tools: [{ name: 'Bash', description: 'Runs a command.', input_schema: shell }],
}).request;

interface Asked {
  readonly messages: readonly ChatMessage<MessageContent>[];
  readonly tools?: readonly ToolDefinition[] | undefined;
}

/** Texts of a conversation that are not in its prompt; blocks are looked for by their lines. */
function lost(template: ChatTemplate, { messages, tools = [] }: Asked): readonly string[] {
  const texts = messages.map(toTextMessage);
  const prompt = template.render(texts, tools);
  return texts
    .flatMap((one) => [
      one.content ?? '',
      ...(one.role === 'assistant'
        ? (one.toolCalls ?? []).map((call) => Object.values(JSON.parse(call.arguments))[0])
        : []),
    ])
    .flatMap((text) => String(text).split('\n'))
    .filter((line) => !prompt.includes(line));
}

describe.skipIf(!isThere)('published templates lose nothing', () => {
  it.each(names)('%s', (name) => {
    const template = templateOf(name);
    // Those that are made for tools alone render nothing without.
    const toolsOnly = template.turnFates({ hasTools: false }).system === 'refused';
    for (const tools of toolsOnly ? [[probeTool]] : [[], [probeTool]]) {
      for (const { kind, conversations } of templateProbes) {
        for (const messages of conversations)
          expect(lost(template, { messages, tools }), `${kind}, ${tools.length} tools`).toEqual([]);
      }
    }
    for (const request of [codex, claude]) expect(lost(template, request as unknown as Asked)).toEqual([]);
  });
});
