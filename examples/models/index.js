/** Folder of each model. Bundlers and file tracers find the files by these expressions. */
export const folders = {
  'tiny-chat': new URL('./tiny-chat/', import.meta.url),
  'tiny-detect': new URL('./tiny-detect/', import.meta.url),
  'tiny-embed': new URL('./tiny-embed/', import.meta.url),
  'tiny-image': new URL('./tiny-image/', import.meta.url),
  'tiny-rerank': new URL('./tiny-rerank/', import.meta.url),
  'tiny-speech': new URL('./tiny-speech/', import.meta.url),
  'tiny-vision': new URL('./tiny-vision/', import.meta.url),
  'tiny-whisper': new URL('./tiny-whisper/', import.meta.url),
};
