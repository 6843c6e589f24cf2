/** Numbers of `AttributeProto.AttributeType`. */
export const attributeTypes = {
  float: 1,
  integer: 2,
  text: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  integers: 7,
  graphs: 10,
} as const;
