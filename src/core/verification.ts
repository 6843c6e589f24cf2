/** When the files of a model are compared with their hashes: at each load, where they have changed, or not at all. */
export const verifications = ['always', 'changed', 'never'] as const;

/** When the files of a model are compared with their hashes. */
export type Verification = (typeof verifications)[number];
