/** Every format that audio can be answered in; the ones beyond `wav` and `pcm` need an encoder. */
export const speechFormats = ['wav', 'pcm', 'mp3', 'opus', 'aac', 'flac'] as const;

export type SpeechFormat = (typeof speechFormats)[number];
