/** Thrown if a fixed-size cache has no slot for more tokens or sequences; nothing is changed. */
export class CacheFull extends Error {}
