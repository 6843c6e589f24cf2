/** The WebAssembly build of an optional peer, which has no types. */
declare module '@evan/opus/wasm/index.js';
