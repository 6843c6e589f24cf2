interface Resource {
  release?: (() => void | Promise<void>) | undefined;
}

/** Opens a group of resources; a failure releases the resources registered with `own`. */
export async function releaseOnFailure<T>(
  open: (own: <R extends Resource | undefined>(resource: R) => R) => T | Promise<T>,
): Promise<T> {
  const owned: (Resource | undefined)[] = [];
  try {
    return await open((resource) => {
      owned.push(resource);
      return resource;
    });
  } catch (error) {
    for (const resource of owned) await resource?.release?.();
    throw error;
  }
}
