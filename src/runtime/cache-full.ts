/** Thrown where a cache of fixed size has no place for more tokens or sequences; nothing is changed then. */
export class CacheFull extends Error {}
