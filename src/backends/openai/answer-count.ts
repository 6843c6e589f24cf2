import type { TokenCounter } from './count-tokens.ts';
import type { WireChoice, WireProgress } from './wire-chunk.ts';

/** Counts the tokens of one choice as its pieces come. */
export class AnswerCount {
  /** So far. */
  tokens = 0;
  #taken = 0;
  /** So far, without those that are empty. */
  pieces = 0;
  /** So far, as UTF-8. */
  bytes = 0;
  readonly #counter: Pick<TokenCounter, 'countAnswer'>;

  constructor(counter: Pick<TokenCounter, 'countAnswer'>) {
    this.#counter = counter;
  }

  /** @param told the server's count so far */
  add({ reasoning, content, toolCalls }: WireChoice, told: number | undefined): void {
    const text = reasoning + content + toolCalls.map(({ name, written }) => name + written).join('');
    if (text !== '') this.pieces++;
    this.bytes += Buffer.byteLength(text);
    if (told !== undefined) this.tokens = Math.max(this.tokens, told);
    else if (text !== '') {
      const { pieces, bytes, tokens } = this;
      const counted = this.#counter.countAnswer({ pieces, bytes, text, tokens });
      this.tokens = Math.max(tokens, counted);
    }
  }

  /** Tokens since it was called before. */
  take(): number {
    const tokens = this.tokens - this.#taken;
    this.#taken = this.tokens;
    return tokens;
  }
}

/** Usage that a server reports for all choices together. */
export class TotalUsage {
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  completionTokens: number | undefined;
  reasoningTokens: number | undefined;
  readonly #choices: number;

  constructor(choices: number) {
    this.#choices = choices;
  }

  /** llama-server counts each choice in a chunk of its own, which has none; others count all in one. */
  add(told: WireProgress, hasChoices: boolean): void {
    this.promptTokens = told.promptTokens ?? this.promptTokens;
    this.cachedTokens = told.cachedTokens ?? this.cachedTokens;
    if (this.#choices === 1) {
      this.completionTokens = told.completionTokens ?? this.completionTokens;
      this.reasoningTokens = told.reasoningTokens ?? this.reasoningTokens;
    } else if (!hasChoices) {
      this.completionTokens = sum(this.completionTokens, told.completionTokens);
      this.reasoningTokens = sum(this.reasoningTokens, told.reasoningTokens);
    }
  }
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return other === undefined ? one : (one ?? 0) + other;
}
