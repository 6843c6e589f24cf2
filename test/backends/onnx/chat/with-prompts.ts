import {
  createPromptSession,
  type PromptSession,
} from '../../../../src/backends/onnx/chat/prompt-session.ts';
import { prepareGraph } from '../../../../src/backends/onnx/chat/prepare-graph.ts';
import { createResidentDecoder } from '../../../../src/backends/onnx/chat/resident-decoder.ts';
import type { BindableSession } from '../../../../src/contracts/graph.ts';
import type { Decoder } from '../../../../src/contracts/decoder.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';

/**
 * A decoder on the CPU whose prompts are read by a second session there.
 *
 * @param path of the `.onnx` file
 * @param watch may replace the second session
 */
export async function loadWithPrompts(
  path: string,
  watch: (prompts: PromptSession) => PromptSession = (prompts) => prompts,
): Promise<Decoder> {
  const rewrites = { attention: true, lastPosition: true };
  const { model, weightsFolder, signature } = await prepareGraph(path, { rewrites, keep: false, threads: 1 });
  const open = () => createOnnxSession(model, { threads: 1, weightsFolder }) as Promise<BindableSession>;
  const prompts = createPromptSession(await open(), signature);
  return createResidentDecoder(await open(), signature, watch(prompts));
}
