import type { SocketEndpoint } from '../../contracts/endpoint.ts';
import { unsupportedError } from '../../errors.ts';
import { quote } from '../../core/text/quote.ts';
import type { TranscriptionEvent } from '../../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../../categories/transcription/request.ts';
import { listeningDescriptions } from '../descriptions.ts';
import { toSocketSession } from '../session.ts';
import { TranscriptionSession } from './session.ts';
import { liveClientEventSchema, liveServerEventSchema } from './schema.ts';

/** `GET /realtime`, as a WebSocket */
export const transcribeLive: SocketEndpoint<TranscriptionRequestInput, TranscriptionEvent> = {
  method: 'GET',
  path: '/realtime',
  category: 'transcription',
  descriptions: listeningDescriptions,
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
    const { query } = call;
    assertQuery(query);
    const { id: model } = call.findModel(query.get('model') ?? undefined);
    const session = new TranscriptionSession(model, call);
    return toSocketSession(session, call);
  },
};

function assertQuery(query: URLSearchParams): void {
  const intent = query.get('intent') ?? 'transcription';
  if (intent !== 'transcription')
    throw unsupportedError('intent', `expected transcription, got ${quote(intent)}`);
  if (query.has('call_id')) throw unsupportedError('call_id', 'not supported, there are no calls');
}
