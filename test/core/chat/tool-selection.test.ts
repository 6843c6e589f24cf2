import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestFittingTool } from '../../../src/core/chat/tool-selection.ts';

const tools = [
  {
    name: 'get_time',
    description: 'Get the current time in a city',
    parameters: { properties: { zone: {} } },
  },
  {
    name: 'getWeather',
    description: 'Get the forecast for a city',
    parameters: { properties: { city: {} } },
  },
  { name: 'send_mail', description: 'Send a message', parameters: { properties: { recipientName: {} } } },
];

describe('bestFittingTool', () => {
  it.each([
    ['What TIME is it?', 0],
    ['How is the weather in the city of Paris?', 1],
    ['Any forecasts?', 1],
    ['Two mails, please', 2],
    ['Who is the recipient?', 2],
    ['Which time zone has that city?', 0],
    ['Bonjour', 0],
    ['', 0],
    ['the a of', 0],
  ])('%s', (message, index) => {
    expect(bestFittingTool(tools, message)).toBe(index);
  });

  it('prefers a word that only one tool has', () => {
    const shapes = [{ name: 'draw_red_circle' }, { name: 'draw_red_square' }];
    expect(bestFittingTool(shapes, 'draw a red square')).toBe(1);
  });

  it('reads definitions of any form', () => {
    const odd = [
      { name: '' },
      { name: 'x', parameters: { properties: null } },
      { name: 'find', parameters: {} },
    ];
    expect(bestFittingTool(odd, 'find it')).toBe(2);
    expect(() => bestFittingTool([], 'x')).toThrow(RangeError);
  });

  it('returns an index for any message and any tools', () => {
    const tool = fc.record({ name: fc.string(), description: fc.string() });
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1 }), fc.string({ unit: 'binary' }), (any, message) => {
        const index = bestFittingTool(any, message);
        expect(any[index]).toBeDefined();
      }),
    );
  });
});
