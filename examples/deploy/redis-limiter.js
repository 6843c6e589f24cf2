// Counts plans in Redis, for all hosts together. Needs the packages ioredis and rate-limiter-flexible.
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

const storeClient = new Redis(process.env['REDIS_URL'] ?? 'redis://redis:6379', {
  // What can't be sent now is no use later: the request has been decided without it.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
});
// The handler reports a store that doesn't answer.
storeClient.on('error', () => undefined);

/** @type {import('slashv1/server').LimiterFactory} */
export default (options) => new RateLimiterRedis({ storeClient, ...options });
