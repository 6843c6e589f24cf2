import type { EndpointRun } from '../../../contracts/endpoint.ts';
import type { ChatEvent } from '../events.ts';
import type { ChatRequestInput } from '../request.ts';

/** A prompt as the model would read it. */
export type PromptPreview = Extract<ChatEvent, { type: 'prompt' }>;

/** Encodes the prompt of a request, and does nothing else with it. */
export async function previewPrompt(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  request: ChatRequestInput,
): Promise<PromptPreview> {
  const [preview] = await run.collect({ ...request, stopAfter: 'encoding' });
  return preview as PromptPreview;
}
