import type { SocketEndpoint, SocketSession } from '../contracts/endpoint.ts';
import { quote } from '../core/text/quote.ts';
import { unsupportedError } from '../errors.ts';
import { voiceDescriptions } from './agent/descriptions.ts';
import { voiceClientEventSchema, voiceServerEventSchema } from './agent/schema.ts';
import { VoiceSession } from './agent/session.ts';
import { voiceCategory, type VoiceInfo } from './agent/voice.ts';
import { listeningDescriptions } from './descriptions.ts';
import type { Call, RealtimeSession } from './session.ts';
import { liveClientEventSchema, liveServerEventSchema } from './transcription/schema.ts';
import { TranscriptionSession } from './transcription/session.ts';

const shared = {
  method: 'GET',
  path: '/realtime',
  responses: {},
  errors: ['invalid_request', 'upgrade_required', 'model_not_found', 'rate_limited', 'overloaded'],
} as const;

/** `GET /realtime`, as a WebSocket */
const transcribeLive = {
  ...shared,
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
  connect(call: Call) {
    const intent = call.query.get('intent') ?? 'transcription';
    if (intent !== 'transcription')
      throw unsupportedError('intent', `expected transcription, got ${quote(intent)}`);
    if (call.query.has('call_id')) throw unsupportedError('call_id', 'not supported, there are no calls');
    const { id } = call.findModel(call.query.get('model') ?? undefined);
    return toSocketSession(new TranscriptionSession(id, call), call);
  },
};

/** `GET /realtime` with the model of a voice agent, as a WebSocket */
const talkLive = {
  ...shared,
  category: voiceCategory,
  descriptions: voiceDescriptions,
  operationId: 'talkLive',
  summary: 'Talk with a voice agent, over a WebSocket.',
  messages: {
    client: { name: 'VoiceClientEvent', schema: voiceClientEventSchema },
    server: { name: 'VoiceServerEvent', schema: voiceServerEventSchema },
  },
  connect(call: Call) {
    const info = call.findModel(call.query.get('model')!) as VoiceInfo;
    return toSocketSession(new VoiceSession(info, call), call);
  },
};

/** The sockets of `GET /realtime`; the first serves requests that name no model. */
export const realtimeSockets: readonly SocketEndpoint[] = [transcribeLive, talkLive];

/** The session as a socket serves it. */
function toSocketSession(
  session: Pick<RealtimeSession<never, never>, 'begin' | 'receive' | 'refuse' | 'settled'>,
  call: Call,
): SocketSession {
  return {
    begin: () => session.begin(),
    receive: (message) => inTurns(session.receive(message), call),
    refuse: (error) => session.refuse(error),
    settled: () => session.settled(),
  };
}

/** Runs the slices of one message: the first immediately, the rest in their turns. */
function inTurns(slices: Iterator<void>, { turn, signal }: Call): Promise<void> | void {
  const isOver = (): boolean => slices.next().done === true;
  const goOn = async (): Promise<void> => {
    do await turn();
    while (!signal.aborted && !isOver());
  };
  return isOver() ? undefined : goOn();
}
