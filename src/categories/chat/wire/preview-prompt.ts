import type { z } from 'zod';
import type { EndpointRun, RequestBody } from '../../../contracts/endpoint.ts';
import type { ChatEvent } from '../events.ts';
import type { ChatRequestInput } from '../request.ts';
import { ignoredFields } from '../../../validation/foreign-fields.ts';
import { renameFields } from '../../../errors.ts';

/** A prompt as the model would read it. */
export type PromptPreview = Extract<ChatEvent, { type: 'prompt' }>;

/** Encodes the prompt of a request, and does nothing else with it. @param toError makes an error name the dialect's fields */
export async function previewPrompt(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  request: ChatRequestInput,
  toError: (thrown: unknown) => unknown,
): Promise<PromptPreview> {
  const [preview] = await run.collect({ ...request, stopAfter: 'encoding' }).catch((error: unknown) => {
    throw toError(error);
  });
  return preview as PromptPreview;
}

/** Makes an error about the one prompt of a request name the field that the prompt came from. */
export function onlyPromptAs(place: string): (thrown: unknown) => unknown {
  return (thrown) => renameFields(thrown, (field) => field.replace(/^prompt\[0\]/, place));
}

/** The body of a request whose prompt is counted. @param fields that make it, with spaces between; the others change nothing */
export function countedBody(
  { name, schema, foreign }: RequestBody & { readonly schema: z.ZodObject },
  fields: string,
): RequestBody {
  const mask = Object.fromEntries(fields.split(' ').map((field) => [field, true as const]));
  const others = ignoredFields(Object.keys(schema.shape).join(' '));
  return { name, schema: schema.pick(mask as never), foreign: { ...foreign, ...others } };
}
