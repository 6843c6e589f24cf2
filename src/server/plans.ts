import { z } from 'zod';
import { releaseOnFailure } from '../concurrency/release-on-failure.ts';
import { InferenceError } from '../errors.ts';
import {
  createBudget,
  createMemoryLimiter,
  limitSchema,
  type Allowance,
  type Budget,
  type LimiterFactory,
  type Refuse,
  type Settle,
} from './rate-limit.ts';
import { numberSchema } from '../validation/number-schema.ts';
import type { InputsOf, SchemaOf } from '../validation/setting-table.ts';

const planFields = {
  /** Ids of the plan's models; requests for different models get 403 `upgrade_required`. Default: all. */
  models: z.array(z.string()).optional(),
  /** Once spent, requests get 403 `quota_exceeded`. A request that fails before any output costs nothing. */
  quota: limitSchema.optional(),
  /** More requests get 429 `rate_limit_exceeded`. Failed requests count, rejected requests don't. */
  rateLimit: limitSchema.optional(),
  /**
   * Max concurrent requests of one key, or of keys with the same `id`, in this process, from the first byte to the last byte of
   * the answer; at least 1. More requests get 429 `rate_limit_exceeded` and don't count. Default: no limit.
   */
  maxConcurrent: numberSchema({ type: 'int', min: 1 }).optional(),
  /** Allow its keys to load and unload models, with `POST /models/{model_id}/load` and `/unload`. Default false. */
  controlsModels: z.boolean().optional(),
};

/** Permissions and limits of a plan's keys. */
export interface Plan extends InputsOf<typeof planFields> {}

export const planSchema: SchemaOf<Plan> = z.strictObject(planFields);

export type Meter = ReturnType<typeof createMeter>;

export type MeterFactory = (owner: string | undefined, planName: string | undefined) => Meter;

export function createMeterFactory(
  plans: Readonly<Record<string, Plan>> = {},
  createLimiter: LimiterFactory = createMemoryLimiter,
): MeterFactory {
  const compiled = new Map(
    Object.entries(plans).map(([name, plan]) => [name, compilePlan(name, plan, createLimiter)]),
  );
  const unlimited = compilePlan('', {}, createLimiter);
  return (owner, planName) => {
    if (owner === undefined || planName === undefined) return createMeter(unlimited, '');
    return createMeter(compiled.get(planName)!, owner);
  };
}

type CompiledPlan = ReturnType<typeof compilePlan>;

function compilePlan(name: string, plan: Plan, createLimiter: LimiterFactory) {
  const budget = (kind: 'quota' | 'rateLimit', refuse: Refuse): Budget | undefined => {
    const limit = plan[kind];
    if (limit === undefined) return undefined;
    return createBudget(limit, { keyPrefix: `slashv1:${name}:${kind}`, createLimiter, refuse });
  };
  return {
    name,
    models: plan.models === undefined ? null : new Set(plan.models),
    quota: budget('quota', quotaExceeded),
    rateLimit: budget('rateLimit', rateLimited),
    maxConcurrent: plan.maxConcurrent ?? Infinity,
    controlsModels: plan.controlsModels ?? false,
    /** Owner → running requests. */
    running: new Map<string, number>(),
  };
}

function createMeter(plan: CompiledPlan, owner: string) {
  const { running } = plan;
  let isUnderWay = false;
  let isStaying = false;
  /** The request has ended; idempotent. */
  const leave = (): void => {
    if (!isUnderWay || isStaying) return;
    isUnderWay = false;
    const count = running.get(owner)! - 1;
    if (count > 0) running.set(owner, count);
    else running.delete(owner);
  };
  return {
    /** @param headers receives `x-ratelimit-*` */
    async enter(headers: Record<string, string>) {
      const count = running.get(owner) ?? 0;
      if (count >= plan.maxConcurrent) throw tooManyConcurrent(count);
      running.set(owner, count + 1);
      isUnderWay = true;
      await plan.rateLimit?.admit(owner, (of, left) => Object.assign(headers, rateLimitHeaders(of, left)));
    },
    /** Reverts an admitted request that the rate limit must not count. */
    async forget() {
      await plan.rateLimit?.refund(owner);
    },
    leave,
    /** The request outlives its answer: `leave` has no effect. */
    stay() {
      isStaying = true;
      return () => {
        isStaying = false;
        leave();
      };
    },
    /** @param models ids that the request may still use @throws InferenceError `upgrade_required` */
    assertModel(...models: readonly string[]) {
      const [model] = models;
      if (model === undefined || plan.models === null || models.some((one) => plan.models!.has(one))) return;
      throw new InferenceError(
        'upgrade_required',
        `The plan ${plan.name} does not include the model ${model}.`,
        { param: 'model' },
      );
    },
    assertControl() {
      if (plan.controlsModels) return;
      throw new InferenceError(
        'upgrade_required',
        'Only keys of a plan with `controlsModels` may load and unload models.',
      );
    },
    async assertLeft() {
      await plan.quota?.assertLeft(owner);
    },
    /** @returns `undefined` for a plan without limits, whose tokens aren't estimated */
    async spend(estimate: () => number) {
      const { quota, rateLimit } = plan;
      if (!quota && !rateLimit) return undefined;
      const tokens = estimate();
      await quota?.admit(owner);
      const taken: Settle[] = [];
      const settle = async (used: number): Promise<void> => {
        await Promise.all(taken.map((settleOne) => settleOne(used)));
      };
      const refund = async (): Promise<void> => {
        await Promise.all([quota?.refund(owner), settle(0)]);
      };
      return releaseOnFailure(async (own) => {
        own({ release: refund });
        for (const budget of [quota, rateLimit]) if (budget) taken.push(await budget.reserve(owner, tokens));
        return { settle, refund };
      });
    },
  };
}

function tooManyConcurrent(count: number): InferenceError {
  const message = `This key has ${count} requests in progress, the maximum of its plan. Try again when one has finished.`;
  return new InferenceError('rate_limited', message, { retryAfterSeconds: 1 });
}

function rateLimited(limit: string, retryAfterSeconds: number): InferenceError {
  const message = `Rate limit of ${limit} reached. Try again in ${retryAfterSeconds} s.`;
  return new InferenceError('rate_limited', message, { retryAfterSeconds });
}

function quotaExceeded(limit: string, renewsInSeconds: number): InferenceError {
  const message = `The quota of ${limit} is spent. It renews in ${renewsInSeconds} s.`;
  return new InferenceError('quota_exceeded', message);
}

function rateLimitHeaders(of: string, { limit, remaining, resetMs }: Allowance): Record<string, string> {
  return {
    [`x-ratelimit-limit-${of}`]: String(limit),
    [`x-ratelimit-remaining-${of}`]: String(remaining),
    [`x-ratelimit-reset-${of}`]: `${Math.ceil(resetMs / 1000)}s`,
  };
}
