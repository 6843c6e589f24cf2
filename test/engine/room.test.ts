import { describe, expect, it } from 'vitest';
import { Room, type Occupant } from '../../src/engine/room.ts';

/** Notes what the room asks of its models: `+a` start, `-a` leave. */
function createGuests(room: Room) {
  const asked: string[] = [];
  const create = (name: string, recentUses: number, traits: Partial<Occupant> = {}): Occupant => {
    const guest = {
      memoryBytes: 0,
      isPinned: false,
      isLoading: false,
      isLeaving: false,
      isIdle: true,
      recentUses,
      start: () => void asked.push(`+${name}`),
      evict: () => {
        guest.isLeaving = true;
        asked.push(`-${name}`);
      },
      ...traits,
    };
    return guest;
  };
  return { asked, create, room };
}

describe('a number of models', () => {
  it('lets in as many as fit, then asks the least used to leave', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 2 }));
    const [a, b, c] = [create('a', 1), create('b', 2), create('c', 3)];
    expect([room.enter(a), room.enter(b), room.enter(c)]).toEqual([true, true, false]);
    expect(asked).toEqual(['-a']);
    room.leave(a);
    expect(asked).toEqual(['-a', '+c']);
  });

  it('prefers an idle one to a busy one that was used less', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 2 }));
    room.enter(create('a', 1, { isIdle: false }));
    room.enter(create('b', 2));
    room.enter(create('c', 3));
    expect(asked).toEqual(['-b']);
  });

  it('keeps an idle one that is used much more than a busy one', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 2 }));
    room.enter(create('hot', 80));
    room.enter(create('rare', 10, { isIdle: false }));
    room.enter(create('other', 10));
    expect(asked).toEqual(['-rare']);
  });

  it('waits for one that is loading and used less, and keeps the other', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 2 }));
    const rare = create('rare', 1, { isLoading: true });
    room.enter(create('hot', 80));
    room.enter(rare);
    room.enter(create('other', 2));
    expect(asked).toEqual([]);
    Object.assign(rare, { isLoading: false });
    room.update();
    expect(asked).toEqual(['-rare']);
  });

  it('waits for one that is loading, and serves in the order of arrival', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 1 }));
    const a = create('a', 1, { isLoading: true });
    const [b, c] = [create('b', 2), create('c', 3)];
    expect([room.enter(a), room.enter(b), room.enter(c)]).toEqual([true, false, false]);
    expect(asked).toEqual([]);
    Object.assign(a, { isLoading: false });
    room.update();
    room.update();
    expect(asked).toEqual(['-a']);
    room.leave(a);
    expect(asked).toEqual(['-a', '+b', '-b']);
    room.leave(b);
    expect(asked.at(-1)).toBe('+c');
  });

  it('forgets one that no longer wants a place', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedModels: 1 }));
    const [a, b, c] = [create('a', 1), create('b', 2), create('c', 3)];
    for (const guest of [a, b, c]) room.enter(guest);
    room.leave(b);
    room.leave(a);
    expect(asked).toEqual(['-a', '+c']);
  });
});

describe('an amount of memory', () => {
  it('makes room for what the next one took before', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedBytes: 100 }));
    room.enter(create('a', 1, { memoryBytes: 40 }));
    room.enter(create('b', 2, { memoryBytes: 40 }));
    room.enter(create('c', 3, { memoryBytes: 90 }));
    expect(asked).toEqual(['-a', '-b']);
  });

  it('unloads others when a model turns out to be larger', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedBytes: 100 }));
    const b = create('b', 2);
    room.enter(create('a', 1, { memoryBytes: 40 }));
    expect(room.enter(b)).toBe(true);
    Object.assign(b, { memoryBytes: 70 });
    room.update();
    expect(asked).toEqual(['-a']);
  });

  it('gives a model that is larger than all of it the memory alone', () => {
    const { asked, create, room } = createGuests(new Room({ maxLoadedBytes: 100 }));
    expect(room.enter(create('a', 1, { memoryBytes: 500 }))).toBe(true);
    room.update();
    expect(asked).toEqual([]);
  });
});
