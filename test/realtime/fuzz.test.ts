import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../thorough.ts';
import { pcm } from './audio.ts';
import { converse, respond, say, update } from './support.ts';

const id = fc.constantFrom('a', 'b', 'root', 'x');
const sound = fc.constantFrom(pcm([0.2, 0.4]), pcm([0.3, 0]), Buffer.alloc(0), Buffer.alloc(2));
const event = fc.oneof(
  sound.map((bytes) => ({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') })),
  fc.constantFrom(
    { type: 'input_audio_buffer.commit' },
    { type: 'input_audio_buffer.clear' },
    { type: 'response.cancel' },
    respond(),
    respond({ conversation: 'none', input: [] }),
    respond({ output_modalities: ['text'] }),
    update({ audio: { input: { turn_detection: { type: 'semantic_vad' } } } }),
    update({ audio: { input: { turn_detection: null, transcription: {} } } }),
    update({ audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 60 } } } }),
  ),
  fc.tuple(id, id).map(([own, previous]) => ({ ...say('hi', own), previous_item_id: previous })),
  id.map((item_id) => ({ type: 'conversation.item.delete', item_id })),
  id.map((item_id) => ({ type: 'conversation.item.retrieve', item_id })),
  id.map((item_id) => ({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 10 })),
  fc.anything().map((value) => value as object),
);

it('no order of events ends a session, and every answer that begins ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (all) => {
      const { talk, send, next, events, inference } = converse();
      send(...all);
      // A conversation without a word is refused by the model; this one has some.
      send({ type: 'response.cancel' }, say('well', 'last'), respond());
      while ((await next('response.done')).response.conversation_id === null);
      talk.close();
      const idsOf = (type: string): string[] =>
        events.flatMap((one) =>
          one.type === type && one.response.conversation_id !== null ? [one.response.id] : [],
        );
      expect(idsOf('response.done')).toEqual(idsOf('response.created'));
      await expect.poll(() => inference.running).toBe(0);
    }),
    { numRuns: runs(200) },
  );
}, 60_000);
