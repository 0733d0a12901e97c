import { byId, h, replaceChildren } from './dom.ts';
import type { UrlProblem } from './read-url.ts';

/** The box that holds the URL of the query. */
export const urlBox = byId('url');

export function urlBoxText(): string {
  return urlBox instanceof HTMLTextAreaElement ? urlBox.value : '';
}

export function showInUrlBox(url: string): void {
  if (urlBox instanceof HTMLTextAreaElement) urlBox.value = url;
  fitUrlBox();
}

/** As many lines as the URL takes; the style sheet sets the most. */
export function fitUrlBox(): void {
  urlBox.style.height = 'auto';
  urlBox.style.height = `${urlBox.scrollHeight + 2}px`;
}

/** What is wrong with the URL, beneath it. */
export function showUrlProblems(problems: readonly UrlProblem[]): void {
  urlBox.setAttribute('aria-invalid', String(problems.length > 0));
  replaceChildren(
    byId('url-problems'),
    ...problems.map(({ parameter, message }) =>
      h('li', {}, parameter === '' ? null : h('code', {}, parameter), ` ${message}`),
    ),
  );
}
