import { deserialize } from 'node:v8';

/** Messages are split into parts, so that small messages can overtake a large one. */
export interface Part {
  readonly type: 'part';
  /** The run of the message. */
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

export interface LanesOptions {
  /** @param onWritten called when the pipe has taken the part */
  write(part: Part, onWritten: () => void): void;
  /** The message isn't plain data and was dropped. */
  onUnsendable?(id: number, error: unknown): void;
}

interface Queued {
  readonly id: number;
  readonly serialize: () => Uint8Array;
  bytes?: Uint8Array;
  sent: number;
}

interface Lane {
  readonly messages: Queued[];
  readonly waiting: (() => void)[];
}

export const partBytes = 2 ** 16;
/** Maximum parts in the pipe: all later parts wait. */
const maxUnwritten = 2;
/** Maximum waiting messages per owner: a run that produces more waits for them. */
const maxAhead = 2;

/**
 * Sends messages of any size through one pipe. Owners take turns, part by part; each owner's messages keep their order,
 * and only the first of them is serialized.
 */
export class Lanes {
  readonly #options: LanesOptions;
  /** In the order of turns. */
  readonly #lanes = new Map<string | undefined, Lane>();
  #unwritten = 0;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** Whether the pipe takes a message immediately. */
  get isFree(): boolean {
    return this.#lanes.size === 0 && this.#unwritten < maxUnwritten;
  }

  /** @param serialize called on the message's turn */
  add(owner: string | undefined, id: number, serialize: () => Uint8Array): void {
    const lane = this.#lanes.get(owner) ?? { messages: [], waiting: [] };
    lane.messages.push({ id, serialize, sent: 0 });
    this.#lanes.set(owner, lane);
    this.#fill();
  }

  /** Resolves when nearly all messages of the owner have been sent; `undefined` if they have been. */
  whenSent(owner: string | undefined): Promise<void> | undefined {
    const lane = this.#lanes.get(owner);
    if (!lane || lane.messages.length <= maxAhead) return undefined;
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  /** Drops the message of a run. @returns whether any part of it was unsent */
  drop(owner: string | undefined, id: number): boolean {
    const messages = this.#lanes.get(owner)?.messages ?? [];
    const index = messages.findIndex((message) => message.id === id);
    if (index < 0) return false;
    messages.splice(index, 1);
    if (messages.length === 0) this.#lanes.delete(owner);
    return true;
  }

  #fill(): void {
    while (this.#unwritten < maxUnwritten) {
      const [next] = this.#lanes;
      if (!next) return;
      const [owner, lane] = next;
      this.#lanes.delete(owner);
      const part = this.#nextPart(lane.messages);
      if (lane.messages.length > 0) this.#lanes.set(owner, lane);
      if (lane.messages.length <= maxAhead) for (const resolve of lane.waiting.splice(0)) resolve();
      if (part) this.write(part);
    }
  }

  /** Sends a part immediately: only while `isFree`. */
  write(part: Part): void {
    this.#unwritten++;
    this.#options.write(part, () => {
      this.#unwritten--;
      this.#fill();
    });
  }

  #nextPart(messages: Queued[]): Part | undefined {
    const message = messages[0]!;
    const { id } = message;
    try {
      const whole = (message.bytes ??= message.serialize());
      const bytes = whole.subarray(message.sent, message.sent + partBytes);
      message.sent += bytes.length;
      const isLast = message.sent === whole.length;
      if (isLast) messages.shift();
      return { type: 'part', id, bytes, isLast };
    } catch (error) {
      messages.shift();
      this.#options.onUnsendable?.(id, error);
      return undefined;
    }
  }
}

/** A complete message. */
export interface Arrived<Message> {
  /** Whether reading it takes long. */
  readonly isLarge: boolean;
  read(): Message;
}

export class Assembly<Message> {
  readonly #parts = new Map<number, Uint8Array[]>();

  /** @returns the message if this is its last part */
  add({ id, bytes, isLast }: Part): Arrived<Message> | undefined {
    const parts = this.#parts.get(id) ?? [];
    parts.push(bytes);
    this.#parts.set(id, parts);
    if (!isLast) return undefined;
    this.#parts.delete(id);
    return { isLarge: parts.length > 1, read: () => deserialize(Buffer.concat(parts)) as Message };
  }

  drop(id: number): void {
    this.#parts.delete(id);
  }
}
