/** Every format that audio can be answered in; `mp3`, `opus` and `aac` need an encoder. */
export const speechFormats = ['wav', 'pcm', 'flac', 'mp3', 'opus', 'aac'] as const;

export type SpeechFormat = (typeof speechFormats)[number];
