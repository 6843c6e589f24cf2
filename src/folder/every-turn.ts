import type { ChatMessage } from '../core/chat/messages.ts';
import { mergeableKinds, mergeTurns, showsTurns, twinOf, type TurnKind } from '../core/chat/turns.ts';
import { unsupportedError } from '../errors.ts';
import { withRender, type ChatTemplate } from './chat-template.ts';
import { templateProbes, type TurnFates } from './template-probes.ts';

/** Maximum additional kinds to merge, if a conversation isn't shown completely otherwise. */
const maxFurtherKinds = 3;

/**
 * Ensures that no turn is lost: turns that the template would drop or reject are merged into neighbouring ones. If a
 * prompt lacks a text, the smallest set of additional kinds to merge is found with a twin of the conversation.
 */
export function withEveryTurn(template: ChatTemplate): ChatTemplate {
  return withRender({
    ...template,
    *renderSteps(messages, tools, variables, merged) {
      const fates = template.turnFates({ hasTools: tools.length > 0 });
      const usual: TurnKind[] = [];
      for (const kind of mergeableKinds) if (fates[kind] === 'merged') usual.push(kind);
      function* attempt(turnsAsked: readonly ChatMessage[], further: readonly TurnKind[]) {
        const found = new Set<TurnKind>();
        const turns = mergeTurns(turnsAsked, new Set([...usual, ...further]), found);
        if (!further.every((kind) => found.has(kind))) return { found, isShown: false };
        try {
          const prompt = yield* template.renderSteps(turns, tools, variables);
          const isShown = showsTurns(turns, prompt, { movesSystems: true });
          if (isShown && !showsTurns(turns, prompt)) found.add('moved-system');
          return { found, prompt, isShown };
        } catch (fault) {
          return { found, fault, isShown: false };
        }
      }
      let chosen = yield* attempt(messages, []);
      if (!chosen.isShown && !isTooLong(chosen.fault)) {
        const twin = twinOf(messages);
        const others = mergeableKinds.filter((kind) => !usual.includes(kind));
        let shown = chosen;
        for (const further of subsets(others, maxFurtherKinds)) {
          yield;
          shown = yield* attempt(twin, further);
          if (!shown.isShown) continue;
          if (further.length > 0) chosen = yield* attempt(messages, further);
          break;
        }
        chosen = { ...chosen, found: shown.isShown ? shown.found : new Set([...chosen.found, 'lost']) };
      }
      const { prompt, found, fault } = chosen;
      if (prompt === undefined) throw fault;
      if (found.has('lost')) assertPlaces(messages, fates);
      for (const kind of found) merged?.add(kind);
      return prompt;
    },
  });
}

/** Whether a template exceeded its step limit, which different turns wouldn't change. */
function isTooLong(fault: unknown): boolean {
  return fault instanceof Error && fault.cause instanceof RangeError;
}

/** @throws InferenceError if the template shows no message of a role at all */
function assertPlaces(messages: readonly ChatMessage[], fates: TurnFates): void {
  for (const [role, refused] of [
    ['system', 'system'],
    ['tool', 'tool-result'],
  ] as const) {
    if (fates[refused] !== 'refused' || !messages.some((message) => message.role === role)) continue;
    const { title } = templateProbes.find(({ kind }) => kind === refused)!;
    throw unsupportedError('messages', `the model's chat template has no place for ${title}`);
  }
}

/** Subsets of up to `most` elements, smallest first. */
function* subsets<One>(all: readonly One[], most: number): Generator<readonly One[]> {
  let choices: (readonly [choice: readonly One[], next: number])[] = [[[], 0]];
  for (let size = 0; size <= most; size++) {
    for (const [choice] of choices) yield choice;
    choices = choices.flatMap(([choice, next]) =>
      all.slice(next).map((one, index) => [[...choice, one], next + index + 1] as const),
    );
  }
}
