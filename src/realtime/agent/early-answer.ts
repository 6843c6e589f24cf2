import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequestInput } from '../../categories/chat/request.ts';
import type { AnyRequest } from '../../contracts/engine.ts';
import type { SocketRunOptions } from '../../contracts/endpoint.ts';
import type { RunEvent } from '../../contracts/run.ts';
import { EarlyRun } from '../early-run.ts';
import { toChatRequest } from './answer.ts';
import type { AnswerSettings } from './configuration.ts';
import { itemHead, type Item } from './conversation.ts';
import type { ItemPart } from './schema.ts';
import { toSpeechRequest } from './speaker.ts';
import type { VoiceCall, VoiceModel } from './voice.ts';

/** A shorter prompt, in characters, is read in an instant. */
const minPromptLength = 1000;

interface Begun {
  /** The request as JSON. */
  readonly key: string;
  readonly run: EarlyRun<RunEvent>;
}

/**
 * The runs of an answer that begins before its turn is known to be over. An answer uses a run if it makes the same request, so
 * that whatever changes the conversation or its settings meanwhile makes it begin again.
 */
export class EarlyAnswer {
  readonly #run: VoiceCall['run'];
  readonly #signal: AbortSignal;
  /** By category. */
  readonly #begun = new Map<string, Begun>();

  /** @param signal ends all runs */
  constructor(run: VoiceCall['run'], signal: AbortSignal) {
    this.#run = run;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.drop(), { once: true });
  }

  /** Begins the text, and the audio of its first piece. */
  async begin(model: VoiceModel, settings: AnswerSettings, items: readonly Item[]): Promise<void> {
    const text = this.#begin('chat', toChatRequest(model.thinks, settings, items));
    if (settings.output_modalities?.[0] === 'text') return;
    const piece = await firstPiece(text as AsyncIterable<ChatEvent>).catch(() => '');
    if (piece !== '' && this.#begun.get('chat')?.run === text)
      this.#begin('speech', toSpeechRequest(model.speaks, settings.output, piece));
  }

  /** Runs a request, or returns the run of the same request that has already begun. */
  run(request: AnyRequest, options: SocketRunOptions): AsyncIterable<RunEvent> {
    const begun = this.#begun.get(options.category!);
    this.#begun.delete(options.category!);
    if (begun && begun.key === JSON.stringify(request) && !begun.run.hasFailed)
      return begun.run.use(options.signal);
    begun?.run.drop();
    return this.#run(request, options);
  }

  /** Reads a long prompt, so that its keys and values are cached when the answer begins. */
  async readPrompt(model: VoiceModel, settings: AnswerSettings, items: readonly Item[]): Promise<void> {
    const whole = toChatRequest(model.thinks, settings, [...items, toUserItem('…')]);
    if (JSON.stringify(whole).length < minPromptLength) return;
    const request: ChatRequestInput = { ...whole, maxTokens: 1 };
    const options = { category: 'chat', signal: this.#signal, isUsed: Promise.resolve(false) };
    try {
      for await (const _ of this.#run(request, options));
    } catch {
      // The answer reports what is wrong.
    }
  }

  drop(): void {
    for (const { run } of this.#begun.values()) run.drop();
    this.#begun.clear();
  }

  #begin(category: string, request: AnyRequest): EarlyRun<RunEvent> {
    this.#begun.get(category)?.run.drop();
    const run = new EarlyRun((options) => this.#run(request, { category, ...options }));
    this.#begun.set(category, { key: JSON.stringify(request), run });
    return run;
  }
}

/** A turn of the user with its transcript. */
export function toUserItem(transcript: string): Item {
  const content: ItemPart[] = [{ type: 'input_audio', transcript }];
  return { ...itemHead('completed'), type: 'message', role: 'user', content };
}

/** The first piece of a text that is spoken as a separate run; empty if there is no text. */
async function firstPiece(events: AsyncIterable<ChatEvent>): Promise<string> {
  const cutter = new (await import('./sentence-cutter.ts')).SentenceCutter();
  let hasText = false;
  for await (const event of events) {
    if (event.type !== 'text-delta') continue;
    hasText ||= event.text.trim() !== '';
    const [piece] = hasText ? cutter.push(event.text) : [];
    if (piece !== undefined) return piece;
  }
  return cutter.flush();
}
