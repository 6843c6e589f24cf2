/** Makes something of each object once, and keeps it as long as that. */
export function oncePer<Key extends object, Made extends {}>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    let found = made.get(key);
    if (found === undefined) made.set(key, (found = make(key)));
    return found;
  };
}
