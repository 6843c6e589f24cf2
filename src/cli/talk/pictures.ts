import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { ContentPart, MessageContent } from '../../core/chat/messages.ts';

/** A path in quotes, or one whose spaces a backslash precedes, as terminals paste files that are dropped on them. */
const words = /'([^']+)'|"([^"]+)"|((?:\\.|[^\s\\])+)/g;
const isPicture = /\.(?:png|jpe?g|webp|gif|avif|tiff?)$/i;

/** A message whose paths of pictures are replaced with the pictures. */
export function withPictures(text: string): MessageContent {
  const pictures: ContentPart[] = [];
  const rest = text.replaceAll(words, (word, single?: string, double?: string, bare?: string) => {
    const path = single ?? double ?? bare!.replaceAll(/\\(.)/g, '$1');
    if (!isPicture.test(path)) return word;
    const isFile = statSync(toFile(path), { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile && !/[\\/]/.test(path)) return word;
    pictures.push(readPicture(path));
    return '';
  });
  return pictures.length === 0 ? text : withText(rest, pictures);
}

/** A text after its pictures. */
export function withText(text: string, pictures: readonly ContentPart[]): MessageContent {
  const content = text.trim();
  if (pictures.length === 0) return content;
  return content === '' ? pictures : [...pictures, { type: 'text', text: content }];
}

/** @throws Error of the file system */
export function readPicture(path: string): ContentPart {
  return { type: 'image', image: new Uint8Array(readFileSync(toFile(path))) };
}

function toFile(path: string): string {
  return path.replace(/^~(?=[\\/])/, homedir());
}
