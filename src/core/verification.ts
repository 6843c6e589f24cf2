/** When a model's files are compared with their hashes: at each load, if they have changed, or never. */
export const verifications = ['always', 'changed', 'never'] as const;

/** When a model's files are compared with their hashes. */
export type Verification = (typeof verifications)[number];
