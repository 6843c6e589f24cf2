import { expectTypeOf, test } from 'vitest';
import type { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { HandlerOptions } from '../../src/server/options.ts';
import type { Limiter } from '../../src/server/rate-limit.ts';
import type { ChatRequestBody } from '../../src/categories/chat/wire/chat/schema.ts';

test('auth has no default', () => {
  expectTypeOf<object>().not.toExtend<HandlerOptions>();
  expectTypeOf<{ auth: undefined }>().not.toExtend<HandlerOptions>();
  expectTypeOf<{ auth: 'none' }>().toExtend<HandlerOptions>();
  expectTypeOf<{ auth: { keys: string[] } }>().toExtend<HandlerOptions>();
});

test('limiters of rate-limiter-flexible fit', () => {
  expectTypeOf<RateLimiterMemory>().toExtend<Limiter>();
  expectTypeOf<RateLimiterRedis>().toExtend<Limiter>();
});

test('parameters have their names and types on the wire', () => {
  expectTypeOf<ChatRequestBody['top_k']>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<ChatRequestBody['include_reasoning']>().toEqualTypeOf<boolean | null | undefined>();
});
