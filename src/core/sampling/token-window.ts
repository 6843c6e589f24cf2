/** Number of last tokens of a history that the penalties read. */
export const penaltyWindow = 64;

/** The last 64 tokens as a set: which tokens, and how often each. Costs no allocation once it is there. */
export interface TokenWindow {
  /** The first `size` entries: the distinct tokens, ascending. */
  readonly tokens: Int32Array;
  /** Count of each of `tokens` in the window. */
  readonly counts: Uint8Array;
  readonly size: number;
  /** Adds a token, below 2³¹; the oldest leaves when there are more than 64. */
  accept(token: number): void;
  clear(): void;
}

export function createTokenWindow(): TokenWindow {
  const recent = new Int32Array(penaltyWindow);
  const tokens = new Int32Array(penaltyWindow + 1);
  const counts = new Uint8Array(penaltyWindow + 1);
  let accepted = 0;
  let size = 0;

  const placeOf = (token: number): number => {
    let place = 0;
    while (place < size && tokens[place]! < token) place++;
    return place;
  };
  const add = (token: number): void => {
    const place = placeOf(token);
    if (place === size || tokens[place] !== token) {
      tokens.copyWithin(place + 1, place, size);
      counts.copyWithin(place + 1, place, size);
      tokens[place] = token;
      counts[place] = 0;
      size++;
    }
    counts[place]!++;
  };
  const remove = (token: number): void => {
    const place = placeOf(token);
    if (--counts[place]! > 0) return;
    tokens.copyWithin(place, place + 1, size);
    counts.copyWithin(place, place + 1, size);
    size--;
  };

  return {
    tokens,
    counts,
    get size() {
      return size;
    },
    accept(token) {
      const slot = accepted % penaltyWindow;
      if (accepted >= penaltyWindow) remove(recent[slot]!);
      recent[slot] = token;
      add(token);
      accepted++;
    },
    clear() {
      accepted = 0;
      size = 0;
    },
  };
}
