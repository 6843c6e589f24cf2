import { isJson } from '../../../../core/text/bounded-json.ts';
import type { ModelResponse, ResponseEvent } from './schema.ts';

export type OutputItem = ModelResponse['output'][number];
/** Log probabilities of the text of a message. */
export type TextLogprobs = Extract<OutputItem, { type: 'message' }>['content'][number]['logprobs'];
/** An event without its number. */
export type EventBody = ResponseEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'sequence_number'>
    : never
  : never;

type Status = OutputItem['status'];
type OutputPart = Extract<OutputItem, { content: unknown }>['content'][number];

/** An item of the output while its text grows; of a call, its arguments. */
export interface GrowingItem {
  readonly type: OutputItem['type'];
  readonly id: string;
  /** Its place in the output. */
  readonly index: number;
  /** The call that the item is about. */
  readonly call?: { readonly id: string; readonly name: string; readonly namespace?: string } | undefined;
  /** Encrypts reasoning, where the client wants that. */
  readonly seal?: ((text: string) => string) | undefined;
  text: string;
  readonly logprobs: TextLogprobs;
}

/** The item as it is now; one without text yet is in progress. */
export function toOutputItem(growing: GrowingItem, status: Status): OutputItem {
  const { type, id, call, text, seal } = growing;
  if (type === 'function_call') {
    const { id: call_id, ...named } = call!;
    // A call that was cut off must not pass for one that can be carried out.
    const isWhole = status !== 'completed' || isJson(text);
    return { id, type, status: isWhole ? status : 'incomplete', call_id, ...named, arguments: text };
  }
  const content = status === 'in_progress' ? [] : [partOf(growing)];
  if (type === 'message') return { id, type, status, role: 'assistant', content } as OutputItem;
  const sealed = seal && content.length > 0 ? { encrypted_content: seal(text) } : {};
  return { id, type, status, summary: [], content, ...sealed } as OutputItem;
}

/** Names of an item's text in the events about it. */
const texts = {
  message: 'output_text',
  reasoning: 'reasoning_text',
  function_call: 'function_call_arguments',
} as const satisfies Record<OutputItem['type'], string>;

export function beginItem(growing: GrowingItem): EventBody[] {
  const item = toOutputItem(growing, 'in_progress');
  return [
    { type: 'response.output_item.added', output_index: growing.index, item },
    ...ofPart('response.content_part.added', growing),
  ];
}

export function extendItem(growing: GrowingItem, delta: string, logprobs: TextLogprobs): EventBody[] {
  growing.text += delta;
  growing.logprobs.push(...logprobs);
  const { type } = growing;
  const told = type === 'message' ? { delta, logprobs } : { delta };
  return [{ type: `response.${texts[type]}.delta`, ...placeOf(growing), ...told } as EventBody];
}

export function endItem(growing: GrowingItem, item: OutputItem): EventBody[] {
  const { type, index: output_index, call, text, logprobs } = growing;
  const told = type === 'function_call' ? { name: call!.name, arguments: text } : { text };
  const described = type === 'message' && { logprobs: [...logprobs] };
  return [
    { type: `response.${texts[type]}.done`, ...placeOf(growing), ...told, ...described } as EventBody,
    ...ofPart('response.content_part.done', growing),
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** Calls have no parts. */
function placeOf({ type, id: item_id, index: output_index }: GrowingItem) {
  return { item_id, output_index, ...(type !== 'function_call' && { content_index: 0 }) };
}

function ofPart(
  type: 'response.content_part.added' | 'response.content_part.done',
  growing: GrowingItem,
): EventBody[] {
  if (growing.type === 'function_call') return [];
  return [{ type, ...placeOf(growing), content_index: 0, part: partOf(growing) }];
}

function partOf({ type, text, logprobs }: GrowingItem): OutputPart {
  return type === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs: [...logprobs] }
    : { type: 'reasoning_text', text };
}
