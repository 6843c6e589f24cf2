import { createInvokeFormat } from './invoke-format.ts';

/** XML elements for calls and parameters, with values as plain text. */
export const minimaxM2Format = createInvokeFormat({
  name: 'minimax-m2',
  families: [{ name: 'MiniMax', models: ['MiniMax M2', 'MiniMax M2.1'] }],
  section: 'minimax:tool_call',
});
