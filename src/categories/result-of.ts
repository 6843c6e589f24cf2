import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';

export async function resultOf<Event extends RunEvent>(
  events: AsyncIterable<Event>,
): Promise<Omit<Event, 'type'>> {
  let last: Event | undefined;
  for await (const event of events) last = event;
  if (last === undefined) throw new InferenceError('internal', 'The run ended without a result.');
  const { type: _type, ...result } = last;
  return result;
}
