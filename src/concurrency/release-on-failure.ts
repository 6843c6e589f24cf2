interface Resource {
  release?: (() => void | Promise<void>) | undefined;
}

/** Opens something of several resources. Where that fails, those that it has marked as its own are released. */
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
