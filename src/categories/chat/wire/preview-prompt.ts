import type { z } from 'zod';
import type { EndpointRun, RequestBody } from '../../../contracts/endpoint.ts';
import type { ChatEvent } from '../events.ts';
import type { ChatRequestInput } from '../request.ts';
import { ignoredFields } from '../../../validation/foreign-fields.ts';
import { renameFields } from '../../../errors.ts';
import type { FieldMap } from './field-map.ts';

export type PromptPreview = Extract<ChatEvent, { type: 'prompt' }>;

/** Encodes the prompt of a request without running it. */
export async function previewPrompt(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  request: ChatRequestInput,
  fieldOf: FieldMap,
): Promise<PromptPreview> {
  const [preview] = await run.collect({ ...request, stopAfter: 'encoding' }).catch((error: unknown) => {
    throw renameFields(error, fieldOf);
  });
  return preview as PromptPreview;
}

/** @param fields space-separated fields that affect the prompt; the rest are ignored */
export function countedBody(
  { name, schema, foreign }: RequestBody & { readonly schema: z.ZodObject },
  fields: string,
): RequestBody {
  const mask = Object.fromEntries(fields.split(' ').map((field) => [field, true as const]));
  const others = ignoredFields(Object.keys(schema.shape).join(' '));
  return { name, schema: schema.pick(mask as never), foreign: { ...foreign, ...others } };
}
