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
  switch (type) {
    case 'message': {
      const content = status === 'in_progress' ? [] : [toTextPart(growing)];
      return { id, type, status, role: 'assistant', content };
    }
    case 'reasoning': {
      const content = status === 'in_progress' ? [] : [{ type: 'reasoning_text' as const, text }];
      const sealed = seal && status !== 'in_progress' ? { encrypted_content: seal(text) } : {};
      return { id, type, status, summary: [], content, ...sealed };
    }
    case 'function_call': {
      // A call that was cut off must not pass for one that can be carried out.
      const isWhole = status !== 'completed' || isJson(text);
      return {
        id,
        type,
        status: isWhole ? status : 'incomplete',
        call_id: call!.id,
        name: call!.name,
        ...(call!.namespace !== undefined && { namespace: call!.namespace }),
        arguments: text,
      };
    }
  }
}

export function beginItem(growing: GrowingItem): EventBody[] {
  const { index: output_index } = growing;
  const item = toOutputItem(growing, 'in_progress');
  return [
    { type: 'response.output_item.added', output_index, item },
    ...ofPart('response.content_part.added', growing),
  ];
}

export function extendItem(growing: GrowingItem, delta: string, logprobs: TextLogprobs): EventBody[] {
  growing.text += delta;
  growing.logprobs.push(...logprobs);
  const at = { item_id: growing.id, output_index: growing.index };
  switch (growing.type) {
    case 'message':
      return [{ type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs }];
    case 'reasoning':
      return [{ type: 'response.reasoning_text.delta', ...at, content_index: 0, delta }];
    case 'function_call':
      return [{ type: 'response.function_call_arguments.delta', ...at, delta }];
  }
}

export function endItem(growing: GrowingItem, item: OutputItem): EventBody[] {
  const { index: output_index } = growing;
  return [
    endOfText(growing),
    ...ofPart('response.content_part.done', growing),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function endOfText({ type, id, index, call, text, logprobs }: GrowingItem): EventBody {
  const at = { item_id: id, output_index: index };
  switch (type) {
    case 'message':
      return { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [...logprobs] };
    case 'reasoning':
      return { type: 'response.reasoning_text.done', ...at, content_index: 0, text };
    case 'function_call':
      return { type: 'response.function_call_arguments.done', ...at, name: call!.name, arguments: text };
  }
}

/** Calls have no parts. */
function ofPart(
  type: 'response.content_part.added' | 'response.content_part.done',
  growing: GrowingItem,
): EventBody[] {
  if (growing.type === 'function_call') return [];
  const { id: item_id, index: output_index, text } = growing;
  const part = growing.type === 'message' ? toTextPart(growing) : { type: 'reasoning_text' as const, text };
  return [{ type, item_id, output_index, content_index: 0, part }];
}

function toTextPart({
  text,
  logprobs,
}: GrowingItem): Extract<OutputItem, { type: 'message' }>['content'][number] {
  return { type: 'output_text', text, annotations: [], logprobs: [...logprobs] };
}
