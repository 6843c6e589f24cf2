// Answers of SmolLM2-135M-Instruct (Apache-2.0) to prompts that ask for Markdown, tables, code, numbers, prices and dates; writes
// chat-answers.json. The answer to prompt n has the seed n.
// Usage: npm run build && node test/real/prepare.js && node test/core/speech/golden/chat-answers.js ~/.cache/slashv1/real-models/smollm2.gguf
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { chat, createInference } from '../../../../dist/src/index.js';

const prompts = [
  'Write a Markdown table of five fruits with their price per kilogram.',
  'Write a Markdown table of the planets with their number of moons.',
  'Write a Markdown table of three laptops with price, weight and battery life.',
  'Write a table with the columns year and population for a town from 1990 to 2020.',
  'Write a Markdown table that compares HTTP status codes 200, 301, 404 and 500.',
  'List five historical events with their exact dates as a numbered list.',
  'List the birthdays of four famous scientists as bullet points with bold names.',
  'Give me a schedule for Monday, March 3, 2025, with times from 9:00 AM to 5:30 PM.',
  'When do the four seasons begin? Answer with dates in bold.',
  'Write a timeline of the first moon landing with dates and times.',
  'Write a shopping list with quantities and prices in dollars and the total.',
  'How much do 3 coffees at $4.50 and 2 cakes at $3.25 cost? Show the steps.',
  'Write a monthly budget for a student with prices in euros as bullet points.',
  'Explain a 15% tip on a bill of $86.40 step by step.',
  'Write an invoice for web design with hours, rate and total in dollars.',
  'Write a Python function that adds two numbers, and explain it with inline code.',
  'Explain git commit with a code block and three bullet points.',
  'Write a JSON object of a person with name, age and address, and explain each field.',
  'Show how to print the numbers 1 to 10 in JavaScript.',
  'Explain the difference between == and === in JavaScript with examples.',
  'Solve 12 * 8 + 4 and show each step.',
  'What is the area of a circle with a radius of 5 cm? Show the formula.',
  'Solve the equation 2x + 6 = 20 step by step.',
  'Explain the quadratic formula in LaTeX.',
  'Convert 5 miles, 10 pounds and 72 °F to metric units.',
  'Write a recipe for pancakes with headings, ingredients and numbered steps.',
  'Write a short README for a weather app with headings and a code block.',
  'Write a Markdown document with a title, a quote, a link and a horizontal rule.',
  'Write a to-do list in Markdown with check boxes and due dates.',
  'Summarize the water cycle with headings and nested bullet points.',
  'Give five statistics about the oceans with numbers and percentages.',
  'How tall are the five highest mountains in meters and feet?',
  'Describe the human body in ten numbers.',
  'How fast do light and sound travel? Use numbers with units.',
  'Write a weather forecast for a week with temperatures in °C.',
  'Write an email that confirms a meeting on 12/05/2024 at 3:15 pm in room 204.',
  'Describe a phone with its specifications: screen, memory, battery, price.',
  'Write a workout plan with sets, repetitions and minutes as a table.',
  'Compare two cars in bullet points: price, horsepower, fuel economy in mpg.',
  'Write a train timetable with departure times, platforms and fares.',
];

const [source = ''] = process.argv.slice(2);
const settings = { temperature: 0.6, topP: 0.9, maxTokens: 240 };
const inference = createInference({
  models: { model: chat({ source: resolve(source), contextLength: 1024 }) },
});
await inference.ready();
/** @type {{ prompt: string, text: string }[]} */
const answers = [];
for (const [seed, prompt] of prompts.entries()) {
  let text = '';
  const messages = [{ role: /** @type {const} */ ('user'), content: prompt }];
  for await (const event of inference.chat({ model: 'model', messages, seed, ...settings })) {
    if (event.type === 'text-delta') text += event.text;
  }
  answers.push({ prompt, text });
}
await inference.close();
const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
const golden = { slashv1: version, model: basename(source), settings, answers };
writeFileSync(new URL('chat-answers.json', import.meta.url), `${JSON.stringify(golden, null, 2)}\n`);
