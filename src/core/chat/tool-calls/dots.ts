import { createInvokeFormat } from './invoke-format.ts';

/** XML elements for calls and parameters, with values as plain text. */
export const dotsFormat = createInvokeFormat({
  name: 'dots',
  families: [{ name: 'dots', models: ['dots.llm'] }],
  section: 'dots_function_call',
});
