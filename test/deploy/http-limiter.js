// Counts plans in another process, over HTTP: where no Redis is installed, two hosts share their limits like this.

/** @type {import('slashv1/server').LimiterFactory} */
export default (options) => {
  /**
   * @param {string} method
   * @param {string} key
   * @param {number} [points]
   */
  const ask = async (method, key, points) => {
    const body = JSON.stringify({ options, method, key, points });
    const response = await fetch(process.env['STORE_URL'] ?? '', { method: 'POST', body });
    const { state } = await response.json();
    // As its model does, a limiter rejects with its state where too little is left.
    // oxlint-disable-next-line typescript/only-throw-error
    if (response.status === 429) throw state;
    return state;
  };
  return {
    consume: (key, points) => ask('consume', key, points),
    penalty: (key, points) => ask('penalty', key, points),
    reward: (key, points) => ask('reward', key, points),
    get: (key) => ask('get', key),
  };
};
