import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { sinceRestart, type ChatEvent } from '../categories/chat/events.ts';
import { createId } from '../server/headers.ts';
import { answer, identityOf, start, toSdkError, type Host } from './call.ts';
import { collectRun, openRun, type OpenRun } from './open-run.ts';
import { toChatRequest, withoutSetting, type ChatCall } from './to-chat-request.ts';
import { createPartStreamer, failureParts, toResult, type AnswerHead } from './to-parts.ts';

/** Conversations to answers. */
export function createLanguageModel(host: Host<'chat'>): LanguageModelV4 {
  return {
    ...identityOf(host),
    supportedUrls: { 'image/*': [/^https?:/] },
    doGenerate: (call) =>
      inCall(host, call, async (chat) => {
        const { run, head } = await open(host, call, chat, { mayRestart: true });
        return toResult(sinceRestart(await collectRun(run)), head);
      }),
    doStream: (call) =>
      inCall(host, call, async (chat) => {
        const { run, head } = await open(host, call, chat, {});
        const toFailure = (thrown: unknown): unknown =>
          toSdkError(host, thrown, { abortSignal: call.abortSignal, rename: chat.rename });
        return { stream: streamOf(run, { call, head, toFailure }) };
      }),
  };
}

/** Errors of a request that can't be made name fields by themselves. */
async function inCall<T>(
  host: Host,
  call: LanguageModelV4CallOptions,
  work: (chat: ChatCall) => Promise<T>,
): Promise<T> {
  const chat = await answer(
    host,
    call,
    (field) => field,
    async () => toChatRequest(call),
  );
  return answer(host, call, chat.rename, () => work(chat));
}

async function open(
  host: Host<'chat'>,
  { abortSignal: signal }: LanguageModelV4CallOptions,
  { request, warnings }: ChatCall,
  options: { readonly mayRestart?: boolean },
): Promise<{ readonly run: OpenRun<ChatEvent>; readonly head: AnswerHead }> {
  const id = createId('chatcmpl-');
  const run = await openRun(
    (asked) => start(host, asked, { signal, responseId: id, ...options }),
    request,
    withoutSetting,
  );
  const head = {
    id,
    modelId: host.modelId,
    timestamp: new Date(),
    warnings: [...warnings, ...run.warnings],
  };
  return { run, head };
}

interface StreamOptions {
  readonly call: LanguageModelV4CallOptions;
  readonly head: AnswerHead;
  readonly toFailure: (thrown: unknown) => unknown;
}

/** No generator: leaving it must end the run at once, also while an event is awaited. */
function streamOf(
  { first, rest }: OpenRun<ChatEvent>,
  { call: { abortSignal, includeRawChunks }, head, toFailure }: StreamOptions,
): ReadableStream<LanguageModelV4StreamPart> {
  const push = createPartStreamer(head);
  let next: IteratorResult<ChatEvent> | undefined = first;
  let hasBegun = false;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          for (let parts = 0; parts === 0;) {
            const { done, value } = next ?? (await rest.next());
            next = undefined;
            if (done === true) return controller.close();
            for (const part of push(value)) {
              controller.enqueue(part);
              parts++;
            }
            hasBegun ||= parts > 0;
            if (includeRawChunks && hasBegun) controller.enqueue({ type: 'raw', rawValue: value });
          }
        } catch (thrown) {
          const error = toFailure(thrown);
          if (abortSignal?.aborted) return controller.error(error);
          for (const part of failureParts(error)) controller.enqueue(part);
          controller.close();
        }
      },
      async cancel() {
        await rest.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
