// As tracers do: preloaded, it hooks the loader, prints, and speaks on the channel to the parent, where there is one.
console.log(`tracer in ${process.pid}`);
require('node:module').register?.('./hooks.mjs', require('node:url').pathToFileURL(__filename));
for (const message of [null, 'text', 1, ['a'], { 'tracer:import': [1] }, { type: 'dependency', path: 'x' }])
  process.send?.(message);
