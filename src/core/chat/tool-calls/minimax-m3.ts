import type { AnswerInput, Reading } from './answer-input.ts';
import { defineFormat } from './define-format.ts';
import type { ToolCallConstraint } from './format.ts';
import { readName } from './json-calls.ts';
import { fitsTool } from './mend-json.ts';
import { elementArguments } from './element-notation.ts';
import { memberSchema, toJsonText, typesOf } from './schema-types.ts';
import { membersOf } from './write-calls.ts';

/** Stands before every tag. */
const mark = ']<]minimax[>[';
const beginMarker = `${mark}<tool_call>`;
const endMarker = `${mark}</tool_call>`;
const openTag = `${mark}<invoke name="`;
const closeTag = `${mark}</invoke>`;

const constraint: ToolCallConstraint = {
  trigger: beginMarker,
  begin: `${beginMarker}\n`,
  call: (name) => ({ prefix: `${openTag}${name}">`, suffix: closeTag }),
  separator: '\n',
  end: `\n${endMarker}`,
  isLoose: true,
  arguments: elementArguments(mark),
};

/** Elements for calls and values, named by the parameters, with elements inside for lists and objects. */
export const minimaxM3Format = defineFormat({
  name: 'minimax-m3',
  families: { 'MiniMax M3': ['MiniMax M3'] },
  markers: [mark, '<tool_call>', '</tool_call>'],
  calls: { begin: [beginMarker], open: [openTag], end: [endMarker], readCalls: readCall },
  detect: mark,
  constraint: { ...constraint, others: [{ ...constraint, trigger: openTag, begin: '', end: '' }] },
  write: (calls) => {
    const texts = calls.map(({ name, arguments: text }) => {
      const members = membersOf(text).map(([key, value]) => writeElement(key, value));
      return `${openTag}${name}">${members.join('')}${closeTag}\n`;
    });
    return `${beginMarker}\n${texts.join('')}${endMarker}`;
  },
});

function writeElement(name: string, value: unknown): string {
  return `${mark}<${name}>${writeInner(value)}${mark}</${name}>`;
}

function writeInner(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) =>
    writeElement(Array.isArray(value) ? 'item' : key, member),
  );
  return members.join('');
}

function* readCall(input: AnswerInput): Reading {
  const name = yield* readName(input);
  const isNamed = name !== '' && (yield* input.takeAny(['">'])) !== null;
  const { length } = input.held;
  const isClosed = isNamed && (yield* input.holdUntil([closeTag])) !== null;
  const tool = input.toolNamed(name);
  const body = input.held.slice(length, -closeTag.length);
  const schema = tool?.parameters ?? { type: 'object' };
  const json = isClosed ? readElements(body, schema, schema, 0) : undefined;
  if (json === undefined || !json.startsWith('{') || !fitsTool(json, tool)) return input.giveUp();
  input.startCall(name);
  input.addArguments(json);
  input.endCall();
  yield* input.dropSpace();
}

const deepestNesting = 32;

/** The value of what stands inside an element: text, or elements; those called `item`, or alike, make a list. */
function readElements(text: string, schema: unknown, root: unknown, depth: number): string | undefined {
  const types = typesOf(schema, root);
  if (text.trim() === '' && depth > 0 && !types.includes('string')) {
    if (types.includes('object')) return '{}';
    if (types.includes('array')) return '[]';
  }
  if (!text.trimStart().startsWith(`${mark}<`) && (depth > 0 || text.trim() !== ''))
    return depth === 0 ? undefined : toJsonText(text, { type: types });
  const members: [string, string][] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const key = /^\s*<([^<>/\s]+)>/.exec(rest.slice(mark.length));
    if (!rest.startsWith(mark) || key === null || depth > deepestNesting) return undefined;
    const [head, name = ''] = key;
    const start = mark.length + head.length;
    const end = endOf(rest, name, start);
    if (end === -1) return undefined;
    const value = readElements(rest.slice(start, end), memberSchema(schema, name, root), root, depth + 1);
    if (value === undefined) return undefined;
    members.push([name, value]);
    rest = rest.slice(end + mark.length + name.length + 3).trimStart();
  }
  const isList = depth > 0 && members.every(([name]) => name === 'item') && !types.includes('object');
  if (isList) return `[${members.map(([, value]) => value).join(', ')}]`;
  const names = [...new Set(members.map(([name]) => name))];
  const valueOf = (name: string): string => {
    const values = members.filter(([other]) => other === name).map(([, value]) => value);
    return values.length === 1 ? values[0]! : `[${values.join(', ')}]`;
  };
  return `{${names.map((name) => `${JSON.stringify(name)}: ${valueOf(name)}`).join(', ')}}`;
}

/** Start of the close tag of an element that may contain elements of the same name. */
function endOf(text: string, name: string, from: number): number {
  const [open, close] = [`${mark}<${name}>`, `${mark}</${name}>`];
  let depth = 1;
  for (let index = from; index < text.length; index++) {
    if (text.startsWith(open, index)) depth++;
    if (text.startsWith(close, index) && --depth === 0) return index;
  }
  return -1;
}
