// Counts plans in Redis for all hosts. Requires the packages ioredis and rate-limiter-flexible.
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

const storeClient = new Redis(process.env['REDIS_URL'] ?? 'redis://redis:6379', {
  // Late commands are useless: the request is already decided.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
});
// The handler reports store failures.
storeClient.on('error', () => undefined);

/** @type {import('slashv1/server').LimiterFactory} */
export default (options) => new RateLimiterRedis({ storeClient, ...options });
