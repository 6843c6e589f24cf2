import type { HubOptions } from '../../index.ts';
import { checkModel } from '../../loading/model-settings.ts';
import { readHubSettings } from '../hub-options.ts';
import { watchInterrupts } from '../interrupt.ts';
import { aboutModel, categoryOf, mergeHub } from '../load-models.ts';
import { parseModelOption, type ModelSettings } from '../model-settings.ts';
import { createNote } from '../note.ts';
import { openModel, type OpenModel } from '../open-model.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Reads the name of a model with its settings: `qwen3-0.6b,dtype=q4`. */
export function readModel(text: string, hub: HubOptions): ModelSettings {
  readHubSettings(hub);
  const { settings } = parseModelOption(text, text);
  const model = { ...settings, hub: mergeHub(hub, undefined) } as unknown as ModelSettings;
  try {
    return { ...model, ...checkModel('model', model) };
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^model\.?/, `${text}: `), { cause: error });
  }
}

/** Loads a chat model, with a line about it on a terminal. */
export async function openChatModel(
  settings: ModelSettings,
  terminal: Terminal,
): Promise<OpenModel | undefined> {
  const { source } = settings;
  const interruption = watchInterrupts();
  const { signal } = interruption;
  const note = createNote(terminal.messages, source);
  try {
    if (terminal.messages.isTTY) note.begin('loading …');
    const category = await categoryOf(settings, signal).catch((error: unknown) => {
      throw aboutModel(source, error);
    });
    if (category !== 'chat')
      throw new UsageError(`Expected a model for chat, and ${source} is for ${category}.`);
    return await openModel({ ...settings, category }, { terminal, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    note.clear();
    throw error;
  } finally {
    note.clear();
    interruption.stop();
  }
}
