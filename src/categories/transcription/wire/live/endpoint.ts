import type { SocketEndpoint } from '../../../../contracts/endpoint.ts';
import { InferenceError, unsupportedError } from '../../../../errors.ts';
import { createId } from '../../../../http/headers.ts';
import { quote } from '../../../../core/text/quote.ts';
import type { TranscriptionEvent } from '../../events.ts';
import type { TranscriptionRequestInput } from '../../request.ts';
import { inTurns } from './append-audio.ts';
import { createLiveSession } from './live-session.ts';
import { liveClientEventSchema, liveServerEventSchema } from './schema.ts';

/** `GET /realtime`, as a WebSocket */
export const realtime: SocketEndpoint<TranscriptionRequestInput, TranscriptionEvent> = {
  method: 'GET',
  path: '/realtime',
  operationId: 'transcribeLive',
  summary: 'Write down speech while it is spoken, over a WebSocket.',
  queryParameters: {
    intent: { description: 'Only `transcription`, which is the default.' },
    model: { description: 'Id of a transcription model; default: the first one.' },
  },
  messages: {
    client: { name: 'LiveClientEvent', schema: liveClientEventSchema },
    server: { name: 'LiveServerEvent', schema: liveServerEventSchema },
  },
  responses: {},
  errors: ['invalid_request', 'upgrade_required', 'model_not_found', 'rate_limited', 'overloaded'],
  connect(call) {
    const { query, send, pace, signal } = call;
    assertQuery(query);
    const session = createLiveSession({
      model: call.findModel(query.get('model') ?? undefined).id,
      isOlder: [call.headers['openai-beta']].flat().includes('realtime=v1'),
      maxBufferBytes: call.maxBufferBytes,
      createId,
      assertModel: (id) => void call.findModel(id),
      hold: (bytes) => call.hold(bytes),
      describe: (error) => call.fail(error),
      emit: (event) => send(event),
    });

    let isRunning = false;
    let ended = Promise.resolve();
    /** Transcribes one utterance after the other, so that they are answered in their order. */
    const transcribe = async (): Promise<void> => {
      for (let next = session.takeUtterance(); next && !signal.aborted; next = session.takeUtterance()) {
        pace(session.waiting + 1);
        const tell = session.streamer(next);
        try {
          for await (const event of call.run(next.request)) tell(event);
        } catch (error) {
          session.fail(next, InferenceError.from(error));
        }
        session.release(next);
        pace(session.waiting);
      }
      isRunning = false;
    };
    return {
      begin: () => session.begin(),
      receive(message) {
        const slices = session.take(message);
        const next = (): boolean => {
          const { done = false } = slices.next();
          pace(session.waiting + (isRunning ? 1 : 0));
          if (!isRunning && session.waiting > 0) {
            isRunning = true;
            ended = transcribe();
          }
          return done;
        };
        return inTurns(next, call);
      },
      refuse: (error) => session.refuse(error),
      settled: () => ended,
    };
  },
};

function assertQuery(query: URLSearchParams): void {
  const intent = query.get('intent') ?? 'transcription';
  if (intent !== 'transcription')
    throw unsupportedError('intent', `expected transcription, got ${quote(intent)}`);
  if (query.has('call_id')) throw unsupportedError('call_id', 'not supported, there are no calls');
}
