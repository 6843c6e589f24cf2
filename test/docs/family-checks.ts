import { detectFormats, toolCallFormats } from '../../src/core/chat/formats.ts';
import type { ToolCallFormat } from '../../src/core/chat/tool-calls/format.ts';
import type { CallNotation } from '../../src/core/chat/tool-calls/notation.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { acceptor } from '../core/grammar/walk.ts';
import { parsePieces } from '../core/chat/tool-calls/items.ts';
import { folderOf } from '../folder/folders.ts';
import { jinjaOf, type FamilyTemplate } from './family-templates.ts';
import { answerGrammar } from '../core/grammar/all-at-once.ts';

/** Facts about the calls of one family, each found out by trying. */
export interface FamilyCheck {
  readonly family: string;
  readonly models: readonly string[];
  readonly origin: CallNotation['origin'];
  readonly parallel: boolean;
  readonly example: { readonly name: string; readonly text: string };
  /** Whether the notation is derived from a template of the family, or its row is found by it. */
  readonly isFound: boolean;
  /** Whether the call that the template writes is read as this call. */
  readonly isRead: boolean;
  /** Whether the grammar of a required call lets that text through. */
  readonly isAccepted: boolean;
  /** Whether the text is read alike, constrained or not, wherever it is cut in two, and unit by unit. */
  readonly isCutSafe: boolean;
}

const values = { city: 'Paris', unit: 'k' };
const tools = [
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 9 }, unit: { enum: ['c', 'k'] } },
      additionalProperties: false,
    },
  },
];

export function checkFamily(own: FamilyTemplate): FamilyCheck {
  const template = createChatTemplate(folderOf({ chatTemplate: jinjaOf(own) }));
  const { source, probe } = template;
  const found = detectFormats({ template: source, hasToken: () => false, render: probe }).toolCalls;
  const row = toolCallFormats.find(({ name }) => name === own.notation);
  // A row's own reader and grammar count where the family's template shows no calls.
  const format = own.isRow ? row! : found!;
  const text = writtenBy(template.render, own.opened ?? '');
  return {
    family: own.family,
    models: own.models,
    origin: format.notations[0]!.origin,
    parallel: format.parallel,
    example: { name: own.notation, text: format.example },
    isFound: found !== undefined && ['template', own.notation].includes(found.name),
    isRead: [false, true].every((isConstrained) => isTheCall(read(format, [text], isConstrained))),
    isAccepted: accepts(format, text),
    isCutSafe: [false, true].every((isConstrained) => {
      const whole = JSON.stringify(read(format, [text], isConstrained));
      const halves = Array.from(text, (_, index) => [text.slice(0, index), text.slice(index)]);
      return [...halves, text.split('')].every(
        (pieces) => JSON.stringify(read(format, pieces, isConstrained)) === whole,
      );
    }),
  };
}

/** The text of the assistant's turn that calls the tool, without what the prompt holds of it. */
function writtenBy(render: ReturnType<typeof createChatTemplate>['render'], opened: string): string {
  const toolCalls = [{ id: 'call_1', name: 'get_weather', arguments: JSON.stringify(values) }];
  const prompt = render(
    [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null, toolCalls },
      { role: 'tool', toolCallId: 'call_1', content: '4 °C' },
    ],
    tools,
  );
  const text = prompt.split('«assistant»')[1]!.split('«end»')[0]!;
  return text.slice(text.startsWith(opened) ? opened.length : 0);
}

function read(format: ToolCallFormat, pieces: readonly string[], isConstrained: boolean) {
  return parsePieces(format.createParser(tools, { isConstrained }), pieces);
}

function isTheCall(items: ReturnType<typeof read>): boolean {
  const [call, ...others] = items.filter((item) => typeof item !== 'string' || item.trim() !== '');
  if (typeof call !== 'object' || others.length > 0 || call.end !== 'whole') return false;
  return call.name === 'get_weather' && JSON.stringify(JSON.parse(call.arguments)) === JSON.stringify(values);
}

function accepts({ constraint }: ToolCallFormat, text: string): boolean {
  const calls = { tools, choice: 'required', parallel: true, format: constraint } as const;
  return acceptor(answerGrammar({ response: { type: 'text' }, calls })!)(text);
}
