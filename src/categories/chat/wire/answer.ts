import type { EndpointRun, StreamEnd } from '../../../contracts/endpoint.ts';
import type { ApiResponse } from '../../../contracts/http.ts';
import { createId, fingerprintOf, unixTime } from '../../../http/headers.ts';
import { jsonResponse } from '../../../http/responses.ts';
import { renameFields } from '../../../errors.ts';
import { sinceRestart, type ChatEvent } from '../events.ts';
import type { ChatRequestInput } from '../request.ts';
import type { FieldMap } from './field-map.ts';

/** How a dialect writes an answer. */
export interface AnswerForm {
  readonly responseId: string;
  readonly stream: boolean;
  readonly fieldOf: FieldMap;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly toBody: (events: readonly ChatEvent[]) => object | Promise<object>;
  /** Creates the writer of a stream's frames; called only for streams. */
  readonly createFrames: () => StreamEnd & {
    readonly toFrames: (event: ChatEvent) => string | Promise<string>;
  };
}

export function createHead(idPrefix: string, model: EndpointRun<ChatRequestInput, ChatEvent>['model']) {
  const systemFingerprint = `fp_${fingerprintOf(model)}`;
  return { id: createId(idPrefix), created: unixTime(), model: model.id, systemFingerprint };
}

/** Headers list the tools offered to the model, if the prompt omits some, and the kinds of merged turns. */
export async function answerChat(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  request: ChatRequestInput,
  form: AnswerForm,
): Promise<ApiResponse> {
  const { responseId, stream, fieldOf, headers, toBody, createFrames } = form;
  try {
    if (!stream) {
      const events = sinceRestart(await run.collect(request, { responseId }));
      const shown = events.map(promptHeaders).find(Boolean);
      return jsonResponse(200, await toBody(events), { ...headers, ...shown });
    }
    let shown: Record<string, string> | undefined;
    const { toFrames, ...end } = createFrames();
    const watched = (event: ChatEvent): string | Promise<string> => {
      shown ??= promptHeaders(event);
      return toFrames(event);
    };
    const response = await run.stream(request, watched, { responseId, ...end });
    return { ...response, headers: { ...response.headers, ...headers, ...shown } };
  } catch (error) {
    throw renameFields(error, fieldOf);
  }
}

function promptHeaders(event: ChatEvent): Record<string, string> | undefined {
  if (event.type !== 'prompt-end') return undefined;
  const { toolsUsed, turnsMerged } = event;
  return {
    ...(toolsUsed && { 'x-slashv1-tools-used': toolsUsed.join(', ') }),
    ...(turnsMerged && { 'x-slashv1-turns-merged': turnsMerged.join(', ') }),
  };
}
