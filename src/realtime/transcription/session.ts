import { assertHearable } from '../assert-offered.ts';
import { joinHeard } from '../hearing.ts';
import { defaultConfiguration, toInput, updateConfiguration, type Configuration } from '../listening.ts';
import { RealtimeSession, type DraftOf, type SessionCall } from '../session.ts';
import type { Turn } from '../turns.ts';
import { liveClientEventSchema, type LiveClientEvent, type LiveServerEvent } from './schema.ts';

type OwnEvent = Extract<LiveClientEvent, { type: 'session.update' }>;

/** A live transcription. */
export class TranscriptionSession extends RealtimeSession<OwnEvent, DraftOf<LiveServerEvent>> {
  readonly #defaults: Configuration;
  readonly #call: SessionCall;
  #configuration: Configuration;
  #lastItemId: string | null = null;

  /** @param model the model until the client names a different one */
  constructor(model: string, call: SessionCall) {
    const begun = defaultConfiguration(model);
    super(call, { schema: liveClientEventSchema, begun, isEager: true });
    this.#call = call;
    this.#configuration = this.#defaults = begun;
  }

  protected obey({ session }: OwnEvent): void {
    const update = session.audio?.input ?? {};
    const after = updateConfiguration(this.#configuration, update, this.#defaults);
    if (update.transcription) assertHearable(after, this.#call.findModel(after.model));
    this.turns.configure(after);
    this.#configuration = after;
    this.emit({ type: 'session.updated', session: this.describe() });
  }

  protected describe() {
    return {
      object: 'realtime.transcription_session' as const,
      id: this.id,
      type: 'transcription',
      audio: { input: toInput(this.#configuration) },
      include: null,
    };
  }

  protected endTurn(turn: Turn): void {
    const previous_item_id = this.#lastItemId;
    this.#lastItemId = turn.itemId;
    this.tellCommitted(turn, previous_item_id);
    const item = toItem(turn.itemId);
    this.emit({ type: 'conversation.item.added', item, previous_item_id });
    this.emit({ type: 'conversation.item.done', item, previous_item_id });
    this.tellGrowth(turn.itemId, turn.text);
    void Promise.all(turn.parts).then((parts) => this.tellHeard(turn.itemId, joinHeard(parts)));
  }
}

function toItem(id: string) {
  return {
    id,
    object: 'realtime.item' as const,
    type: 'message' as const,
    status: 'completed' as const,
    role: 'user' as const,
    content: [{ type: 'input_audio' as const, transcript: null }],
  };
}
