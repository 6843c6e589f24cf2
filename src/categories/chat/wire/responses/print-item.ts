import { isJson } from '../../../../core/text/bounded-json.ts';
import type { TokenLogprobs } from '../../events.ts';
import type { AnswerItem } from '../../items.ts';
import { toWireLogprobs } from '../chat/print.ts';
import { outputItemId } from './kept-response.ts';
import type { ModelResponse, ResponseEvent } from './schema.ts';
import type { NamespacedName } from './tools.ts';

export type OutputItem = ModelResponse['output'][number];
/** An event without its sequence number. */
export type EventBody = ResponseEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'sequence_number'>
    : never
  : never;

type Status = OutputItem['status'];
type OutputPart = Extract<OutputItem, { content: unknown }>['content'][number];

export interface ResponseForm {
  /** Encrypts reasoning in addition to its text; default: no encryption. */
  readonly seal?: ((text: string) => string) | undefined;
  /** Name shown to the model → function of a namespace; default: no namespaces. */
  readonly namespaced?: ReadonlyMap<string, NamespacedName> | undefined;
}

const wireTypes = { text: 'message', reasoning: 'reasoning', call: 'function_call' } as const;

/** Names of an item's text in events. */
const texts = { text: 'output_text', reasoning: 'reasoning_text', call: 'function_call_arguments' } as const;

export class ItemPrinter {
  readonly #item: AnswerItem;
  readonly #id: string;
  readonly #form: ResponseForm;

  constructor(item: AnswerItem, responseId: string, form: ResponseForm) {
    this.#item = item;
    this.#id = outputItemId(wireTypes[item.type], responseId, item.index);
    this.#form = form;
  }

  begin(): EventBody[] {
    const added = { output_index: this.#item.index, item: this.item('in_progress') };
    return [
      { type: 'response.output_item.added', ...added },
      ...this.#partEvents('response.content_part.added'),
    ];
  }

  delta(delta: string, tokens: readonly TokenLogprobs[]): EventBody {
    const { type } = this.#item;
    const logprobs = type === 'text' && { logprobs: toWireLogprobs(tokens).content };
    return { type: `response.${texts[type]}.delta`, ...this.#place(), delta, ...logprobs } as EventBody;
  }

  end(item: OutputItem): EventBody[] {
    const { type, index: output_index, text } = this.#item;
    const named = type === 'call' ? { name: this.#name().name, arguments: text } : { text };
    const logprobs = type === 'text' && { logprobs: this.#logprobs() };
    return [
      { type: `response.${texts[type]}.done`, ...this.#place(), ...named, ...logprobs } as EventBody,
      ...this.#partEvents('response.content_part.done'),
      { type: 'response.output_item.done', output_index, item },
    ];
  }

  item(status: Status): OutputItem {
    const { type: kind, text, call } = this.#item;
    const [type, id] = [wireTypes[kind], this.#id];
    if (type === 'function_call') {
      // A truncated call must not look executable.
      const isWhole = status !== 'completed' || isJson(text);
      const own = { ...this.#name(), arguments: text };
      return { id, type, status: isWhole ? status : 'incomplete', call_id: call!.id, ...own };
    }
    const content = status === 'in_progress' ? [] : [this.#part()];
    if (type === 'message') return { id, type, status, role: 'assistant', content } as OutputItem;
    const { seal } = this.#form;
    const sealed = seal && content.length > 0 ? { encrypted_content: seal(text) } : {};
    return { id, type, status, summary: [], content, ...sealed } as OutputItem;
  }

  /** The called function, with its namespace if any. */
  #name(): { readonly name: string; readonly namespace?: string } {
    const { name } = this.#item.call!;
    return this.#form.namespaced?.get(name) ?? { name };
  }

  /** Calls have no content parts. */
  #place() {
    const { type, index: output_index } = this.#item;
    return { item_id: this.#id, output_index, ...(type !== 'call' && { content_index: 0 }) };
  }

  #partEvents(type: 'response.content_part.added' | 'response.content_part.done'): EventBody[] {
    if (this.#item.type === 'call') return [];
    return [{ type, ...this.#place(), content_index: 0, part: this.#part() }];
  }

  #part(): OutputPart {
    const { type, text } = this.#item;
    return type === 'text'
      ? { type: 'output_text', text, annotations: [], logprobs: this.#logprobs() }
      : { type: 'reasoning_text', text };
  }

  #logprobs() {
    return toWireLogprobs(this.#item.logprobs).content;
  }
}
