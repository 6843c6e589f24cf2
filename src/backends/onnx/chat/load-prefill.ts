import { isPastState, embeddingsInput } from '../../../core/onnx/cache-names.ts';
import { abbreviate } from '../../../core/text/quote.ts';
import { fieldError, InferenceError, messageOf } from '../../../errors.ts';
import type { ChatSettings } from '../../../categories/chat/settings.ts';
import type { BindableSession } from '../../../contracts/graph.ts';
import type { Decoder } from '../../../contracts/decoder.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { compareLogits, probeSteps, probeTokens } from './graph-probe.ts';
import { prepareGraph, type PreparedGraph, type PrepareOptions } from './prepare-graph.ts';
import { createPromptSession, type PromptSession } from './prompt-session.ts';
import { createResidentDecoder } from './resident-decoder.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';
import { defaultThreads } from '../../../runtime/session-options.ts';

/** How to open a session for prompts. */
export interface PrefillOptions
  extends Pick<OnnxSessionOptions, 'threads' | 'runtime'>, Pick<PrepareOptions, 'cacheFolder' | 'keep'> {
  readonly prefill: NonNullable<ChatSettings['prefill']>;
}

/** Tokens of a prompt that both sessions must read identically; also the first run, in which some providers compile. */
const probeLength = 64;
/**
 * Maximum root mean square of the differences, relative to the logits'; 16-bit keys and values, or the absence of 8-bit
 * rounding, cause less.
 */
const tolerance = 0.15;

/** Loads a decoder whose prompts are read by a second session, as configured by `prefill`. */
export async function loadPrefilledDecoder(
  path: string,
  session: BindableSession,
  prepared: PreparedGraph,
  options: PrefillOptions,
): Promise<Decoder> {
  return releaseOnFailure(async (own) => {
    const prompts = own(await loadPromptSession(path, prepared, options));
    const decoder = createResidentDecoder(session, prepared.signature, prompts);
    const alone = createResidentDecoder(session, prepared.signature);
    const prompt = probeTokens(decoder, 0, probeLength);
    const [expected, actual] = [await probeSteps(alone, prompt), await probeSteps(decoder, prompt)];
    const { relative } = compareLogits([expected], [actual]);
    if (relative <= tolerance) return decoder;
    const size = relative.toPrecision(2);
    throw fieldError('prefill.device', `it reads a prompt wrong: the logits differ by ${size} of their size`);
  });
}

async function loadPromptSession(
  path: string,
  { signature: { inputs }, applied }: PreparedGraph,
  { prefill: { device = 'cpu' }, threads, runtime, ...kept }: PrefillOptions,
): Promise<PromptSession> {
  if (inputs.some((input) => input.name === embeddingsInput || isPastState(input)))
    throw fieldError('prefill', 'expected a graph that takes tokens, and keeps nothing but keys and values');
  if (device === 'cpu' && !applied.includes('accuracy-level')) {
    const reason = 'expected another device than the CPU, where a second session would compute the same';
    throw fieldError('prefill.device', reason);
  }
  const rewrites = { attention: true, lastPosition: true };
  const { model, weightsFolder, signature } = await prepareGraph(path, { ...kept, rewrites, threads });
  const provider = { device, threads, providerOptions: providerOptions(device, threads) };
  try {
    const session = await createOnnxSession(model, { ...provider, runtime, weightsFolder });
    return createPromptSession(session, signature);
  } catch (error) {
    const message = messageOf(error);
    const shown = abbreviate(message.replaceAll('\n', ' '), 500);
    const reason = InferenceError.isInstance(error) ? message.replace(/^device: /, '') : shown;
    throw fieldError('prefill.device', reason, { cause: error });
  }
}

/** Options of a provider; its plugin's settings take precedence. */
function providerOptions(device: string, threads = defaultThreads()): OnnxSessionOptions['providerOptions'] {
  if (!/^openvino(?::|$)/.test(device)) return undefined;
  // Without a limit, its memory grows with each new length.
  const processor = { CPU_RUNTIME_CACHE_CAPACITY: '64', INFERENCE_NUM_THREADS: String(threads) };
  return { hint_enable_gqa: 'true', load_config: JSON.stringify({ CPU: processor }) };
}
