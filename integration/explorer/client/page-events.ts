import { byId } from './dom.ts';
import { fitUrlBox, urlBox } from './url-box.ts';

export interface PageEvents {
  /** Another link is followed. */
  follow(): void;
  /** Runs or sends what is shown. */
  submit(): void;
  /** Enter in an input of the form, or in the box of the URL: nothing changes content by that alone. */
  enter(from: 'form' | 'url'): void;
  /** The URL is typed in. */
  paste(): void;
  /** What a link within the explorer is to be when it is clicked. */
  hashOf(hash: string): string;
}

/** Listens to keys, links and the box of the URL. */
export function listen({ follow, submit, enter, paste, hashOf }: PageEvents): void {
  window.addEventListener('resize', fitUrlBox);
  window.addEventListener('hashchange', follow);
  byId('bar').addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  // A form without a submit button does not submit itself; what an input does with Enter comes first.
  byId('builder').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    if (!(event.target instanceof HTMLInputElement) || OWN_ENTER.has(event.target.type)) return;
    event.preventDefault();
    enter('form');
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
    if (link !== null) link.setAttribute('href', hashOf(link.getAttribute('href') ?? ''));
  });
  // A hash is a query here, so the link to a place in the page goes there by itself.
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('answer').focus();
  });
  urlBox.addEventListener('input', paste);
  urlBox.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    enter('url');
  });
}

const OWN_ENTER: ReadonlySet<string> = new Set(['checkbox', 'file']);
