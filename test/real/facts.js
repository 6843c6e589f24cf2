/** Facts that a prompt states and an answer has to repeat: a name, an age and a city. */
export const facts = /** @type {const} */ ([
  ['Alice', 31, 'London'],
  ['Boris', 47, 'Paris'],
  ['Chen', 22, 'Berlin'],
  ['Deepa', 64, 'Paris'],
  ['Emil', 19, 'London'],
  ['Fatima', 53, 'Berlin'],
  ['Goran', 38, 'London'],
  ['Hanna', 71, 'Paris'],
  ['Ivan', 67, 'London'],
  ['Julia', 28, 'Berlin'],
  ['Kofi', 45, 'London'],
  ['Lena', 61, 'Paris'],
  ['Marco', 33, 'Berlin'],
  ['Nadia', 26, 'London'],
  ['Omar', 52, 'Paris'],
  ['Petra', 40, 'Berlin'],
]);

/** A schema of these facts, silent about other properties. */
export const factsSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    city: { type: 'string', enum: ['Paris', 'London', 'Berlin'] },
  },
  required: ['name', 'age', 'city'],
};
