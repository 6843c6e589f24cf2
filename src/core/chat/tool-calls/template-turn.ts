import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import { typeOfValue } from '../../grammar/schemas/json-types.ts';
import type { ChatMessage, ToolDefinition } from '../messages.ts';

/** Renders a conversation with a chat template; `undefined` where the template refuses it. */
export type RenderTurns = (
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  variables?: Readonly<Record<string, unknown>>,
) => string | undefined;

export type ProbedCall = readonly [name: string, values: Readonly<Record<string, unknown>>];

/** An assistant's turn and its surroundings. */
export interface RenderedTurn {
  /** The model's part: the turn without its start in the prompt and without its end. */
  readonly text: string;
  /** Everything behind the user's message. */
  readonly whole: string;
  /** End of the prompt, after the user's message. */
  readonly lead: string;
}

interface TurnContent {
  readonly content?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Longer turns would take too long to compare; published templates need a tenth of it. */
export const maxTurnLength = 4000;

const question = 'Question that probes.';
const answer = 'Said so.';
const result = 'Result that probes.';
const asked: ChatMessage = { role: 'user', content: question };

interface TurnFrame {
  readonly lead: string;
  readonly end: string;
  readonly header: string;
}

/** Renders turns of an assistant; their surroundings are rendered once. */
export class TurnRenderer {
  readonly #render: RenderTurns;
  readonly #frames = new Map<string, TurnFrame | undefined>();

  constructor(render: RenderTurns) {
    this.#render = (...args) => orElse(() => render(...args), undefined);
  }

  /** The turn that makes these calls; `undefined` where the template doesn't show them. */
  turn(
    calls: readonly ProbedCall[],
    { content, reasoning, variables = {} }: TurnContent = {},
  ): RenderedTurn | undefined {
    const reasoningContent = reasoning === undefined ? {} : { reasoningContent: reasoning };
    const toolCalls = calls.map(([name, values], index) => {
      return { id: idOf(index), name, arguments: JSON.stringify(values) };
    });
    const turn: ChatMessage = { role: 'assistant', content: content ?? null, ...reasoningContent, toolCalls };
    const results = calls.map(([name], index): ChatMessage => {
      return { role: 'tool', toolCallId: idOf(index), name, content: result };
    });
    const closed = { ...variables, add_generation_prompt: false };
    const shows = (text: string): boolean => calls.every(([name]) => text.includes(name));
    // Tools without arguments are rendered fast.
    const bare = toolsFor(calls.map(([name]) => [name, {}]));
    for (const tools of calls.length > 0 ? [bare, []] : [[]]) {
      const frame = this.#frame(tools, variables, reasoningContent);
      const full = frame && this.#render([asked, turn], tools, closed);
      if (!frame || full === undefined) continue;
      const { lead, end, header } = frame;
      let whole = textBehind(full, question);
      const head = headOf(whole, lead, header);
      let text = withoutEnd(whole.slice(head), end);
      if (!shows(text)) {
        // Some templates show a call only when its result follows.
        whole = textBehind(this.#render([asked, turn, ...results], tools, closed) ?? '', question);
        text = whole.slice(head, Math.max(head, whole.indexOf(result)));
        const last = end.trim() === '' ? -1 : text.lastIndexOf(end.trim());
        if (last > 0) text = text.slice(0, last);
      }
      if (shows(text)) return { text, whole, lead };
    }
    return undefined;
  }

  #frame(
    tools: readonly ToolDefinition[],
    variables: Readonly<Record<string, unknown>>,
    reasoningContent: { readonly reasoningContent?: string },
  ): TurnFrame | undefined {
    const key = JSON.stringify([tools.length > 0, variables, reasoningContent]);
    return getOrCreate(this.#frames, key, () => {
      const said: ChatMessage = { role: 'assistant', content: answer, ...reasoningContent };
      const prompt = this.#render([asked], tools, variables);
      const plain = this.#render([asked, said], tools, { ...variables, add_generation_prompt: false }) ?? '';
      const header = textBehind(plain.slice(0, plain.lastIndexOf(answer)), question);
      if (prompt === undefined) return undefined;
      return { lead: textBehind(prompt, question), end: textBehind(plain, answer), header };
    });
  }
}

/** Nine letters and digits, as some templates want it. */
const idOf = (index: number): string => `callprob${index}`;
export const callId = /callprob\d|(?<![A-Za-z0-9])(?=[a-z]*\d)[a-z0-9]{9}(?=["[\s<])/g;

function textBehind(text: string, mark: string): string {
  return text.slice(text.lastIndexOf(mark) + mark.length);
}

/** Length of the turn's start in the prompt. A turn may lack an opener of thinking that the prompt has. */
function headOf(whole: string, lead: string, header: string): number {
  const head = sharedStart(lead, whole);
  if (head === lead.length) return head;
  const longest = whole.startsWith(header) ? Math.max(head, header.length) : head;
  return /[<[({][^<>[\](){}\n]*$/.exec(whole.slice(0, longest))?.index ?? longest;
}

function withoutEnd(text: string, end: string): string {
  if (end.trim() === '') return text;
  if (text.endsWith(end)) return text.slice(0, -end.length);
  const trimmed = text.trimEnd();
  if (trimmed.endsWith(end.trim())) return trimmed.slice(0, -end.trim().length);
  // A turn with calls may have a different mark before the marks that end all turns.
  const tail = text.slice(text.length - sharedEnd(text, end).length);
  const start = tail.search(/[<\n]/);
  // A long end that turns with and without calls share belongs to turns.
  return tail.length > 20 && start !== -1 ? text.slice(0, text.length - tail.length + start) : text;
}

export function sharedEnd(one: string, other: string): string {
  let start = one.length;
  while (start > 0 && one[start - 1] === other[start - 1 + other.length - one.length]) start--;
  return one.slice(start);
}

/** Length of the beginning that two texts share. */
export function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Tools that have these arguments. */
export function toolsFor(calls: readonly ProbedCall[]): readonly ToolDefinition[] {
  return calls.map(([name, values]) => {
    const types = Object.entries(values).map(([key, value]) => [key, { type: typeOfValue(value) }]);
    const parameters = { type: 'object', properties: Object.fromEntries(types) as object };
    return { name, description: 'D.', parameters };
  });
}
