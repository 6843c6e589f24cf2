/** Every format that audio can be answered in; all but `wav` and `pcm` need an encoder. */
export const speechFormats = ['wav', 'pcm', 'flac', 'mp3', 'opus', 'aac'] as const;

export type SpeechFormat = (typeof speechFormats)[number];
