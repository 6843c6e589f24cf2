import type { ReasoningMarkers } from './reasoning.ts';
import { tagsOf } from './tool-calls/edges.ts';
import { maxTurnLength, sharedStart, type TurnRenderer } from './tool-calls/template-turn.ts';

const [thought, said] = ['THOUGHTS.', 'Said it.'];

export type ThinkingMarks = Pick<ReasoningMarkers, 'close' | 'frame'> & { readonly open: string };

/**
 * Finds out how a model marks its thinking by rendering turns with and without thoughts, and prompts with thinking on and off.
 *
 * @param thinkingSwitch name of the variable that lets the model think
 * @returns `undefined` where the template shows no mark that ends thinking
 */
export function deriveThinking(
  turns: TurnRenderer,
  thinkingSwitch: string | undefined,
): ThinkingMarks | undefined {
  const turn = (reasoning?: string, isOn = true) => {
    const variables = thinkingSwitch === undefined ? {} : { [thinkingSwitch]: isOn };
    return turns.turn([], { content: said, reasoning, variables });
  };
  const plain = turn();
  if (plain === undefined) return undefined;
  const header = plain.whole.slice(0, plain.whole.indexOf(said));
  const { whole } = turn(thought) ?? plain;
  if (whole.length + plain.lead.length > maxTurnLength) return undefined;
  const [before = '', between, behind = ''] = whole.split(/THOUGHTS\.|Said it\./);
  if (whole.includes(thought) && whole.indexOf(thought) < whole.indexOf(said)) {
    const [close = '', ...rest] = tagsOf(between!);
    const isShown = header.includes(close) || !header.startsWith(before.trimEnd());
    const behindLead = before.startsWith(plain.lead) ? before.slice(plain.lead.length).trim() : '';
    const own = behindLead === '' ? (tagsOf(before).at(-1) ?? '') : behindLead;
    const open = isShown ? shortest(own, close) : plain.lead.slice(before.length).trim();
    return open !== '' && close !== '' ? framed({ open, close }, rest, behind) : undefined;
  }
  const off = thinkingSwitch === undefined ? '' : (turn(undefined, false)?.lead ?? '');
  for (const shown of [off, header]) {
    const [open, close, ...rest] = emptyBlock(plain.lead, shown);
    const behindAnswer = plain.whole.slice(header.length + said.length);
    if (open !== undefined && close !== undefined) return framed({ open, close }, rest, behindAnswer);
  }
  return undefined;
}

/** The tags of a block of thinking without thoughts, of which the prompt may have the first. */
function emptyBlock(lead: string, shown: string): readonly string[] {
  const shared = sharedStart(lead, shown);
  for (const from of [shared, shared - 1]) {
    const place = Math.max(0, shown.lastIndexOf('<', from), shown.lastIndexOf('[', from));
    const tags = tagsOf(shown.slice(place));
    const start = tags.findIndex((tag, index) => areMirrored(tag, tags[index + 1] ?? ''));
    if (start !== -1) return tags.slice(start);
  }
  return [];
}

/** Whether two tags differ in signs and in words for begin and end alone. */
function areMirrored(open: string, close: string): boolean {
  const word = (tag: string): string =>
    tag.replace(/[^a-z\d]|start|begin|open|end|close|stop|prefix|suffix/gi, '');
  return open !== close && word(open) !== '' && word(open) === word(close);
}

/** The part of a tag that mirrors the close tag; default the whole tag. */
function shortest(tag: string, close: string): string {
  const ends = [...tag.matchAll(/[<[]/g)].map(({ index }) => tag.slice(index));
  return ends.findLast((end) => areMirrored(end, close)) ?? tag;
}

function framed(marks: ThinkingMarks, tags: readonly string[], behind: string): ThinkingMarks {
  if (tags.length === 0) return marks;
  return { ...marks, frame: { open: tags.join(''), close: tagsOf(behind).slice(0, 1) } };
}
