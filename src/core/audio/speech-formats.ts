/** The audio formats of answers; all except `wav` and `pcm` need an encoder. */
export const speechFormats = ['wav', 'pcm', 'flac', 'mp3', 'opus', 'aac'] as const;

export type SpeechFormat = (typeof speechFormats)[number];
