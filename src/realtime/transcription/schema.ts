import { z } from 'zod';
import {
  about,
  audioEvents,
  formatSchema,
  heardEvents,
  item_id,
  modelSchema,
  noiseReduction,
  ofClient,
  previous_item_id,
  turnShape,
  without,
} from '../protocol.ts';

const turnSchema = z.strictObject({
  type: z.literal('server_vad').optional(),
  ...turnShape,
  create_response: without('there are no responses', false),
  interrupt_response: without('there are no responses', false, true),
  idle_timeout_ms: without('silence is no turn'),
  eagerness: without('only server_vad is offered'),
});

const turnDetection = turnSchema.nullable().optional().meta({
  description: 'How utterances end; `null`: only by `input_audio_buffer.commit`.',
});

const sessionSchema = z.strictObject({
  type: z.literal('transcription'),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: formatSchema.optional(),
          transcription: modelSchema.nullable().optional(),
          turn_detection: turnDetection,
          noise_reduction: noiseReduction,
        })
        .optional(),
    })
    .optional(),
  include: without('log probabilities are not offered'),
});

export const liveClientEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...ofClient('session.update'), session: sessionSchema }),
  ...audioEvents,
]);

export type LiveClientEvent = z.infer<typeof liveClientEventSchema>;

const item = z.object({
  id: item_id,
  object: z.literal('realtime.item'),
  type: z.literal('message'),
  status: z.literal('completed'),
  role: z.literal('user'),
  content: z.array(z.object({ type: z.literal('input_audio'), transcript: z.null() })),
});
const session = z
  .object({ object: z.literal('realtime.transcription_session'), id: z.string() })
  .catchall(z.unknown());

export const liveServerEventSchema = z.discriminatedUnion('type', [
  ...heardEvents,
  z.object({ ...about('session.created'), session }),
  z.object({ ...about('session.updated'), session }),
  z.object({ ...about('conversation.item.added'), item, previous_item_id }),
  z.object({ ...about('conversation.item.done'), item, previous_item_id }),
]);

export type LiveServerEvent = z.infer<typeof liveServerEventSchema>;
