import { formatRows } from '../../../../src/core/chat/tool-calls/rows.ts';
import { createFormat, type ToolCallFormat } from '../../../../src/core/chat/tool-calls/format.ts';
import { deriveNotation } from '../../../../src/core/chat/tool-calls/derive.ts';
import { TurnRenderer } from '../../../../src/core/chat/tool-calls/template-turn.ts';
import { createChatTemplate } from '../../../../src/folder/chat-template.ts';
import { familyTemplates, jinjaOf } from '../../../docs/family-templates.ts';
import { folderOf } from '../../../folder/folders.ts';

const rows = formatRows.map(({ format }) => format);

/** The formats of all families: the rows, and for all others what their templates show. */
export const knownFormats: readonly ToolCallFormat[] = [
  ...rows,
  ...familyTemplates.flatMap((own, index) => {
    const isFirst = familyTemplates.findIndex(({ notation }) => notation === own.notation) === index;
    if (!isFirst || rows.some(({ name }) => name === own.notation)) return [];
    const { probe } = createChatTemplate(folderOf({ chatTemplate: jinjaOf(own) }));
    const { notation, reason } = deriveNotation(new TurnRenderer(probe));
    if (notation === undefined) throw new Error(`${own.family}: ${reason}`);
    return [createFormat(own.notation, [notation])];
  }),
];

export function knownFormat(name: string): ToolCallFormat {
  const format = knownFormats.find((one) => one.name === name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
}
