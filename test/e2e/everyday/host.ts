const order: readonly string[] = ['embeddings', 'large'];
export const environment = Object.assign(process.env, { EVERYDAY_ORDER: order.join(' ') });
await import('./host.js');
