import { button, byId, copyText, h, replaceChildren } from './dom.ts';

/** Code that asks or sends the same, to take elsewhere. */
export interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** Shows the build-time call of the query; undefined where it has none. */
export function showCall(call: string | undefined): void {
  const place = byId('call');
  const title = h('h2', {}, 'Build-time call');
  if (call === undefined) {
    const text = 'Only a query for a collection that the form can show has a build-time call.';
    replaceChildren(place, title, h('p', { class: 'empty' }, text));
    return;
  }
  const full = `import { entities } from 'astro-jsonapi:content';\n\nconst found = ${call};\n`;
  const copy = copyButton('the build-time call', full);
  title.append(copy);
  const hint =
    'The same question, asked while the site is built. Without a page it answers everything; a URL, its first page.';
  replaceChildren(
    place,
    title,
    h('pre', { class: 'plain', id: 'code', tabindex: 0, 'aria-label': 'Build-time call' }, call),
    h('p', { class: 'hint' }, hint),
  );
}

/** Shows a request as code; nothing where there is none. */
export function showSnippets(snippets: readonly Snippet[]): void {
  replaceChildren(
    byId('call'),
    ...snippets.flatMap(({ title, code }) => [
      h('h2', {}, title, copyButton(`the request as ${title}`, code)),
      h('pre', { class: 'plain', tabindex: 0, 'aria-label': title }, code),
    ]),
  );
}

function copyButton(what: string, text: string): HTMLElement {
  const copy = button('Copy', () => copyText(text, copy), {
    class: 'quiet small',
    'aria-label': `Copy ${what}`,
  });
  return copy;
}
