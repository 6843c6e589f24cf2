import type { EndpointRun } from '../../../../contracts/endpoint.ts';
import { InferenceError } from '../../../../errors.ts';
import { findConversation, withItems } from './kept-conversation.ts';
import { toKeptItems, wholeItems, type KeptResponse, type Keeping } from './kept-response.ts';
import type { ModelResponse } from './schema.ts';

type ReportingRun = Pick<EndpointRun<never, never>, 'caller' | 'report'>;

/** Keeps a response, where its request wants that. The answer says whether it is kept: a store that fails doesn't spoil it. */
export async function keepResponse(
  given: ModelResponse,
  keeping: Keeping,
  run: ReportingRun,
): Promise<ModelResponse> {
  const { kept } = run.caller;
  const input = toKeptItems(keeping.items, given.id);
  const response = await keepTurn({ response: given, input }, keeping, run);
  if (!keeping.store || kept === undefined) return response;
  const value: KeptResponse = { response, input };
  const isKept = await orReport(kept.set(response.id, value), run);
  return isKept ? response : { ...response, store: false };
}

/** Adds the new items of a response to its conversation. The answer says whether that has them. */
export async function keepTurn(
  { response, input }: KeptResponse,
  { conversation }: Pick<Keeping, 'conversation'>,
  run: ReportingRun,
): Promise<ModelResponse> {
  if (conversation === undefined || run.caller.kept === undefined) return response;
  const items = [...input.slice(conversation.known), ...wholeItems(response)];
  const added = findConversation(run.caller, conversation.id, 'conversation', (found) =>
    withItems(found, items),
  );
  return (await orReport(added, run)) ? response : { ...response, conversation: null };
}

async function orReport<T>(promise: Promise<T>, { report }: ReportingRun): Promise<T | false> {
  return promise.catch((error: unknown) => {
    report(InferenceError.from(error));
    return false;
  });
}
