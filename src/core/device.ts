/** The devices that may compute tensors. One that doesn't work on a machine makes loading fail; nothing falls back by itself. */
export const devices = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const;

/** One of `devices`. */
export type Device = (typeof devices)[number];
