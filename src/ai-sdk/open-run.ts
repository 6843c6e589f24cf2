import type { SharedV4Warning } from '@ai-sdk/provider';
import { InferenceError } from '../errors.ts';

/** A request without the field that was refused. */
export interface Reduced<Request> {
  readonly request: Request;
  readonly warning: SharedV4Warning;
}

/** A run that has begun. */
export interface OpenRun<Event> {
  readonly first: IteratorResult<Event>;
  /** The events after the first. */
  readonly rest: AsyncIterator<Event>;
  /** One for each field that was left out. */
  readonly warnings: readonly SharedV4Warning[];
}

/**
 * Starts a run and waits for its first event. A field that the model refuses, and that the request can do without, is left out.
 *
 * @param reduce the request without the field of the error, or `undefined` where it needs that
 * @throws whatever the run throws before its first event
 */
export async function openRun<Request, Event>(
  begin: (request: Request) => AsyncIterable<Event>,
  request: Request,
  reduce: (request: Request, error: InferenceError) => Reduced<Request> | undefined,
): Promise<OpenRun<Event>> {
  const warnings: SharedV4Warning[] = [];
  for (let asked = request; ;) {
    const rest = begin(asked)[Symbol.asyncIterator]();
    try {
      return { first: await rest.next(), rest, warnings };
    } catch (error) {
      const reduced = InferenceError.isInstance(error) ? reduce(asked, error) : undefined;
      if (!reduced) throw error;
      asked = reduced.request;
      warnings.push(reduced.warning);
    }
  }
}

/** The events of a run in their order. */
export async function collectRun<Event>({ first, rest }: OpenRun<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for (let result = first; result.done !== true; result = await rest.next()) events.push(result.value);
  return events;
}
