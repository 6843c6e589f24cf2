import { InferenceError } from '../errors.ts';

/** Waits for a run that has one event, or of which only the last counts. */
export async function lastEvent<Event>(events: AsyncIterable<Event>): Promise<Event> {
  let last: Event | undefined;
  for await (const event of events) last = event;
  if (last === undefined) throw new InferenceError('internal', 'The run ended without a result.');
  return last;
}
