import { checkModel } from '../../loading/settings.ts';
import { exitCode, untilInterrupted, type ExitCode } from '../command.ts';
import { createNote, type Terminal, type OutputStream } from '../terminal.ts';
import { aboutModel, categoryOf } from '../load-models.ts';
import { parseModelOption, type ModelSettings } from '../model-settings.ts';
import { openModel, type OpenModel } from '../open-model.ts';
import { inOption, UsageError, readHubOptions, type HubValues } from '../options.ts';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { ContentPart, MessageContent } from '../../core/chat/messages.ts';
import type { ChatRequestInput } from '../../categories/chat/request.ts';

/** Parses the name of a model with its settings: `qwen3-0.6b,dtype=q4`. */
export function readModel(text: string, values: HubValues): ModelSettings {
  const { hub } = readHubOptions(values);
  const { settings } = parseModelOption(text, text);
  const model = { ...settings, hub } as unknown as ModelSettings;
  const checked = inOption(
    (path) => path.replace('model.', `${text}: `),
    () => checkModel('model', model),
  );
  return { ...model, ...checked };
}

/** Runs a callback with a chat model; a terminal shows a line while it loads. */
export async function withChatModel(
  settings: ModelSettings,
  terminal: Terminal,
  talk: (model: OpenModel) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { source } = settings;
  const note = createNote(terminal.messages, source);
  const model = await untilInterrupted(async (signal) => {
    if (terminal.messages.isTTY) note.begin('loading …');
    const category = await categoryOf(settings, signal).catch(aboutModel(source));
    if (category !== 'chat')
      throw new UsageError(`Expected a model for chat, and ${source} is for ${category}.`);
    return openModel({ ...settings, category }, { terminal, signal });
  }).finally(() => note.clear());
  if (!model) return exitCode.interrupted;
  try {
    return await talk(model);
  } finally {
    await model.close();
  }
}

/** A quoted path, or a path with escaped spaces, as terminals paste dropped files. */
const words = /'([^']+)'|"([^"]+)"|((?:\\.|[^\s\\])+)/g;
const isPicture = /\.(?:png|jpe?g|webp|gif|avif|tiff?)$/i;

/** A message with the paths of pictures replaced by the pictures. */
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

/** Streams an answer, which Ctrl-C ends: its text to the output; on a terminal, its reasoning to the messages. */
export async function printAnswer(
  { inference, model }: OpenModel,
  request: Omit<ChatRequestInput, 'model'>,
  { output, messages }: Terminal,
) {
  let text = '';
  let isThinking = false;
  let isCutOff = false;
  const endThought = (): void => {
    if (isThinking) messages.write('\n\n');
    isThinking = false;
  };
  const isWhole = await untilInterrupted(async (signal) => {
    for await (const event of inference.chat({ model, ...request }, { signal })) {
      if (event.type === 'reasoning-delta' && messages.isTTY) {
        isThinking = true;
        messages.write(messages.style.dim(printable(event.text, messages)));
      } else if (event.type === 'text-delta') {
        endThought();
        text += event.text;
        output.write(printable(event.text, output));
      } else if (event.type === 'choice-end') isCutOff = event.finishReason === 'length';
    }
    return !signal.aborted;
  }).finally(() => {
    endThought();
    if (text !== '' && !text.endsWith('\n')) output.write('\n');
  });
  if (isCutOff) messages.write(`${messages.style.dim('The answer is cut off; --max-tokens allows more.')}\n`);
  return { text, isInterrupted: !isWhole };
}

/** A terminal would execute a model's control characters. */
function printable(text: string, { isTTY }: OutputStream): string {
  // eslint-disable-next-line no-control-regex
  return isTTY ? text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '') : text;
}
