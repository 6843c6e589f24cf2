import { heardDescriptions } from '../categories/transcription/wire/schema.ts';
import type { Descriptions } from '../validation/describe-fields.ts';

/** Fields of the messages about audio, and of live transcription. */
export const listeningDescriptions: Descriptions = {
  ...heardDescriptions,
  type: 'Kind of this object.',
  session: 'The settings of the session.',
  'session.update/session': 'Settings to change; the others stay.',
  'session.id': 'Id of the session.',
  'session.audio': 'Settings of audio.',
  'audio.input': 'Settings of the recording.',
  format: 'Form of the audio; default: `audio/pcm` of 24 kHz.',
  transcription: 'How utterances are transcribed.',
  'transcription.model':
    'Id of a transcription model; default: the `model` of the address, else the first one.',
  language: 'Language of the audio, as ISO 639-1; default: auto-detected.',
  languages: 'As `language`: at most one.',
  prompt: 'Text that comes before each utterance: a guide to style and spelling.',
  keywords: 'Names and words that are likely, as a list at the end of the prompt.',
  'turn_detection.type': 'Way to find the end of a turn.',
  event_id: 'Id of this event, made by the service.',
  'error.event_id': "The client's id of the message at fault; `null` if it had none.",
  content_index: 'Number of the part in the item: an item has one part.',
  'content.transcript': 'Text of the audio; `null` if it comes in events of its own.',
  transcript: 'The whole transcript of the utterance.',
  item: 'The item.',
  role: 'Author of the item.',
  previous_item_id: 'Id of the item before it; `null` for the first one.',
  'realtime.item/content': 'The audio of the utterance; events of its own have the transcript.',
  'realtime.item/status': 'The utterance is over.',
  error: 'Why the message or its run failed.',
};
