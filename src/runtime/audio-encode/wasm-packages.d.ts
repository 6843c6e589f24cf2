/** The build of an optional peer for WebAssembly, which has no types. */
declare module '@evan/opus/wasm/index.js';
