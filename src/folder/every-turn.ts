import { mergeTurns, turnKindsOf } from '../core/chat/turns.ts';
import { unsupportedError } from '../errors.ts';
import { withRender, type ChatTemplate } from './chat-template.ts';
import { templateProbes } from './template-probes.ts';

/** Lets no turn be lost: those that the template would drop or refuse become parts of others. */
export function withEveryTurn(template: ChatTemplate): ChatTemplate {
  return withRender({
    ...template,
    *renderSteps(messages, tools, variables) {
      const fates = template.turnFates({ hasTools: tools.length > 0 });
      const prompt = yield* template.renderSteps(mergeTurns(messages, fates), tools, variables);
      const lost = turnKindsOf(messages).find((kind) => fates[kind] === 'refused');
      if (lost === undefined) return prompt;
      const { title } = templateProbes.find(({ kind }) => kind === lost)!;
      throw unsupportedError('messages', `the model's chat template has no place for ${title}`);
    },
  });
}
