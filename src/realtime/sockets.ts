import type { SocketEndpoint } from '../contracts/endpoint.ts';
import { talkLive } from './agent/endpoint.ts';
import { transcribeLive } from './transcription/endpoint.ts';

/** The sockets of `GET /realtime`; the first serves requests that name no model. */
export const realtimeSockets: readonly SocketEndpoint[] = [
  transcribeLive as SocketEndpoint,
  talkLive as SocketEndpoint,
];
