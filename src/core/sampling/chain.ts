import { candidatesInto, createCandidates, type Candidates } from './candidates.ts';
import { createAdjuster, type LogitChanges } from './changes.ts';
import type { SamplerContext, SamplerDefinition, SamplerStep } from './definition.ts';
import { selectLargest, type LargestLogits } from './largest-logits.ts';
import { createBiasStep } from './logit-bias.ts';
import { isOn, samplers, type SamplingParameters } from './samplers.ts';
import { leavesFew, scan } from './scan.ts';
import { createScratch } from './scratch.ts';

/** Finite biases of distinct tokens, ascending. */
type Biases = Parameters<typeof createBiasStep>[0];

export type Chain = ReturnType<typeof createChain>;

const candidateScratch = createScratch(createCandidates);
const orderScratch = createScratch((length) => new Float64Array(length));

/**
 * Composes the bias and the samplers of a sequence that act, in their order, without the draw. At temperature 0 the most likely token after penalties
 * and DRY is all there is.
 */
export function createChain(
  parameters: SamplingParameters,
  biases: Biases,
  context: Omit<SamplerContext, 'isSteered'>,
) {
  const steps = stepsOf(parameters, biases, context);
  let leading = 0;
  while (steps[leading]!.changes) leading++;
  const { collector } = steps[leading]!;
  const changes: LogitChanges[] = [];
  for (let i = 0; i < leading; i++) changes.push(steps[i]!.changes!);
  const adjust = createAdjuster(changes);
  let deciding = 0;
  while (steps[deciding]!.lowered) deciding++;
  const lowering = steps.slice(0, deciding);
  const { onLargest } = steps[deciding]!;
  const massIsUnknown = onLargest?.usesMass && deciding > leading;

  return {
    /** Whether every step needs all logits, so that `runLargest` never decides. */
    needsAllLogits: onLargest === undefined || massIsUnknown === true,
    /** Number of last tokens of the history that the samplers read. */
    memory: Math.max(0, ...steps.map(({ memory = 0 }) => memory)),
    /** The tokens that are left to draw from. */
    run(logits: Float32Array, allow?: Uint32Array, isPenalized?: (token: number) => boolean): Candidates {
      const candidates = candidateScratch(logits.length);
      if (collector && !(allow && leavesFew(allow, logits.length))) {
        candidates.size = 0;
        collector.reset(candidates);
        scan(logits, adjust(logits, allow, isPenalized), collector, allow);
        if (collector.isComplete()) {
          for (let i = leading; i < steps.length; i++) steps[i]!.apply(candidates);
          return candidates;
        }
      }
      candidatesInto(candidates, logits, allow);
      for (const step of steps) step.apply(candidates, isPenalized);
      return candidates;
    },
    /** As `run`, from the largest logits alone. */
    runLargest(largest: LargestLogits): Candidates | undefined {
      const { length } = largest.tokens;
      const candidates = candidateScratch(length);
      if (!selectLargest(candidates, largest, orderScratch(length))) return undefined;
      let lowered = 0;
      for (const step of lowering) {
        step.apply(candidates);
        lowered += step.lowered!();
      }
      const { vocabularySize } = context;
      const floor = length < vocabularySize ? largest.logits.at(-1)! : -Infinity;
      const known = { largest, floor, vocabularySize, lowered };
      if (!onLargest!.apply(candidates, known)) return undefined;
      for (let i = deciding + 1; i < steps.length; i++) steps[i]!.apply(candidates);
      return candidates;
    },
    /** Makes a token part of the history that the samplers look at. */
    accept(token: number): void {
      for (const step of steps) step.accept?.(token);
    },
    /** Updates the samplers with the candidate that was drawn. */
    learn(candidates: Candidates, token: number): void {
      for (const step of steps) step.learn?.(candidates, token);
    },
  };
}

/** The bias, if there is one, and the samplers that act; the temperature is always among them. */
function stepsOf(
  parameters: SamplingParameters,
  biases: Biases,
  context: Omit<SamplerContext, 'isSteered'>,
): readonly SamplerStep[] {
  const isGreedy = parameters.temperature === 0;
  const isSteered = parameters.mirostatMode > 0;
  const steps: SamplerStep[] = biases.length > 0 ? [createBiasStep(biases)] : [];
  for (const sampler of samplers as readonly SamplerDefinition[]) {
    const isLeftOut = (isGreedy && !sampler.actsWhenGreedy) || (isSteered && !sampler.actsWithMirostat);
    if (!isLeftOut && isOn(sampler, parameters))
      steps.push(sampler.create(parameters, { ...context, isSteered }));
  }
  return steps;
}
