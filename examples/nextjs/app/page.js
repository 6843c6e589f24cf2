'use client';
// @ts-expect-error The app installs it; this repository doesn't.
import { createElement as h, useState } from 'react';

/** A page that streams an answer of the API in the same app. */
export default function Page() {
  const [text, setText] = useState('');

  /** @param {{ preventDefault(): void, currentTarget: HTMLFormElement }} event */
  async function ask(event) {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget).get('question'));
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content }] }),
    });
    const { choices, error } = await response.json();
    setText(error?.message ?? choices[0].message.content);
  }

  return h(
    'form',
    { onSubmit: ask },
    h('input', { name: 'question', placeholder: 'Describe a scene with two shapes.' }),
    h('button', {}, 'Ask'),
    h('p', {}, text),
  );
}
