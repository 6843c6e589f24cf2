import { Turns } from '../concurrency/in-slices.ts';
import type { RequestBudget } from '../contracts/endpoint.ts';
import type { ApiRequest } from '../contracts/http.ts';
import { InferenceError } from '../errors.ts';
import { deadlineMsOf } from '../http/headers.ts';
import { inPieces } from '../validation/in-pieces.ts';
import type { BodyGate } from './body-gate.ts';
import type { Meter } from './plans.ts';

/** Turns of all requests and messages of this process, one at a time. */
export const turns = new Turns();

/** Small pieces of work share a turn of this length. */
const sliceMs = 2;

export type OwnedBudget = RequestBudget & {
  release(): void;
};

interface BudgetOwner {
  readonly request: ApiRequest;
  readonly owner: string | undefined;
  /** `performance.now()` of its arrival. */
  readonly startedAt: number;
  readonly meter: Pick<Meter, 'spend'>;
}

/** Time slices for a request, in turns between owners, until a disconnect or its deadline. */
export function createBudget({ request, owner, startedAt, meter }: BudgetOwner, gate: BodyGate): OwnedBudget {
  let turnBeganAt = -Infinity;
  let place: ReturnType<BodyGate['enter']> | undefined;
  let heldBytes = 0;
  const assertClient = (): void => {
    if (request.signal.aborted) throw new InferenceError('cancelled', 'The client has disconnected.');
  };
  const nextTurn = async (): Promise<void> => {
    await turns.next(owner);
    turnBeganAt = performance.now();
    assertClient();
    const deadlineMs = deadlineMsOf(request) ?? Infinity;
    if (turnBeganAt - startedAt < deadlineMs) return;
    // Billed like a run that hit its client's deadline.
    await (await meter.spend(() => 0))?.settle(0);
    throw new InferenceError('deadline_exceeded', `The request was not finished within ${deadlineMs} ms.`);
  };
  return {
    pieces: (check) => inPieces(check, { pause: nextTurn }),
    async pause() {
      assertClient();
      if (performance.now() - turnBeganAt >= sliceMs) await nextTurn();
    },
    hold(bytes) {
      heldBytes += bytes;
      // Small values would only use up slots of bodies.
      if (heldBytes <= gate.freeBytes) return;
      place ??= gate.enter(owner);
      place.grow(heldBytes);
    },
    release() {
      place?.leave();
    },
  };
}
