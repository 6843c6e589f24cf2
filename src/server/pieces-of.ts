import { Turns } from '../concurrency/turns.ts';
import { InferenceError } from '../errors.ts';
import { inPieces, type Pieces } from '../validation/in-pieces.ts';
import type { Call } from './call.ts';
import { deadlineMsOf } from '../http/headers.ts';

/** Pieces of all requests and messages of this process, one at a time. */
export const turns = new Turns();

/** Checks a request in pieces, owners by turns, while its client waits and its deadline allows. */
export function piecesOf({
  request,
  owner,
  startedAt,
  meter,
}: Pick<Call, 'request' | 'owner' | 'startedAt' | 'meter'>): Pieces {
  const deadlineMs = deadlineMsOf(request) ?? Infinity;
  const pause = async (): Promise<void> => {
    await turns.next(owner);
    if (request.signal.aborted) throw new InferenceError('cancelled', 'The client has gone.');
    if (performance.now() - startedAt < deadlineMs) return;
    // As for a run that its client's own deadline has ended.
    await (await meter.spend(() => 0)).settle(0);
    throw new InferenceError('deadline_exceeded', `The request was not finished within ${deadlineMs} ms.`);
  };
  return (check) => inPieces(check, { pause });
}
