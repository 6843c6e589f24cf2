/** The bytes of an audio file, or its path. */
export type AudioSource = Uint8Array | { readonly path: string };
