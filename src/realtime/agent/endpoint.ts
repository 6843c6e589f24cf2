import { toSocketSession } from '../session.ts';
import type { SocketEndpoint } from '../../contracts/endpoint.ts';
import type { AnyRequest } from '../../contracts/engine.ts';
import type { RunEvent } from '../../contracts/run.ts';
import { voiceDescriptions } from './descriptions.ts';
import { voiceClientEventSchema, voiceServerEventSchema } from './schema.ts';
import { VoiceSession } from './session.ts';
import { voiceCategory, type VoiceInfo } from './voice.ts';

/** `GET /realtime` with the model of a voice agent, as a WebSocket */
export const talkLive: SocketEndpoint<AnyRequest, RunEvent> = {
  method: 'GET',
  path: '/realtime',
  category: voiceCategory,
  operationId: 'talkLive',
  summary: 'Talk with a voice agent, over a WebSocket.',
  messages: {
    client: { name: 'VoiceClientEvent', schema: voiceClientEventSchema },
    server: { name: 'VoiceServerEvent', schema: voiceServerEventSchema },
  },
  descriptions: voiceDescriptions,
  responses: {},
  errors: ['invalid_request', 'upgrade_required', 'model_not_found', 'rate_limited', 'overloaded'],
  connect(call) {
    const session = new VoiceSession(call.findModel(call.query.get('model')!) as VoiceInfo, call);
    return toSocketSession(session, call);
  },
};
