import cluster from 'node:cluster';

if (cluster.isPrimary) for (let count = 0; count < 2; count++) cluster.fork({ EVERYDAY_ORDER: 'embeddings' });
else await import('./host.js');
