import type { ChatEvent, TokenLogprobs } from './events.ts';

export interface AnswerItem {
  readonly type: 'text' | 'reasoning' | 'call';
  /** Index of the item, from 0. */
  readonly index: number;
  readonly call?: { readonly id: string; readonly name: string } | undefined;
  /** The text so far; for a call, its arguments. */
  text: string;
  /** Log probabilities of the text so far. */
  readonly logprobs: TokenLogprobs[];
}

export type ItemChange =
  | { readonly type: 'begin' | 'end'; readonly item: AnswerItem }
  | {
      readonly type: 'delta';
      readonly item: AnswerItem;
      readonly text: string;
      readonly logprobs: readonly TokenLogprobs[];
    };

/** Items begin, grow and end one after the other. */
export class ItemReader {
  #open: AnswerItem | undefined;
  #count = 0;
  /** Log probabilities of the next text. */
  #logprobs: TokenLogprobs[] = [];

  /** Lazy, so that consumers see each item in its state at that change. */
  *read(event: ChatEvent): Generator<ItemChange, void> {
    switch (event.type) {
      case 'logprobs':
        this.#logprobs.push(...event.tokens);
        return;
      case 'text-delta':
        return yield* this.#grow('text', event.text);
      case 'reasoning-delta':
        this.#logprobs = [];
        return yield* this.#grow('reasoning', event.text);
      case 'tool-call-start':
        return yield* this.begin('call', { id: event.id, name: event.name });
      case 'tool-call-delta':
        return yield this.#extend(this.#open!, event.arguments);
      case 'choice-end':
        yield* this.end();
    }
  }

  *begin(type: AnswerItem['type'], call?: AnswerItem['call']): Generator<ItemChange, void> {
    yield* this.end();
    this.#open = { type, index: this.#count++, call, text: '', logprobs: [] };
    yield { type: 'begin', item: this.#open };
  }

  *end(): Generator<ItemChange, void> {
    const item = this.#open;
    if (item === undefined) return;
    if (item.type === 'text') item.logprobs.push(...this.#logprobs);
    this.#logprobs = [];
    this.#open = undefined;
    yield { type: 'end', item };
  }

  *#grow(type: AnswerItem['type'], text: string): Generator<ItemChange, void> {
    if (this.#open?.type !== type) yield* this.begin(type);
    yield this.#extend(this.#open!, text);
  }

  #extend(item: AnswerItem, text: string): ItemChange {
    const logprobs = item.type === 'text' ? this.#logprobs : [];
    if (item.type === 'text') this.#logprobs = [];
    item.text += text;
    item.logprobs.push(...logprobs);
    return { type: 'delta', item, text, logprobs };
  }
}
