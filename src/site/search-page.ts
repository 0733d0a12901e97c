import lunr from 'lunr';
import type { SearchEntry } from './search-entries.ts';

const TYPING_PAUSE_MS = 120;
const EVERYTHING = 'Everything there is, until you ask for less.';

/** Answers the search form in the browser: the list on the page is reordered and cut, never written from strings. */
export function searchPage(): void {
  const form = document.querySelector<HTMLFormElement>('form.search');
  const input = form?.querySelector<HTMLInputElement>('input[name=q]');
  const list = document.querySelector('.results');
  const status = document.querySelector('.search-status');
  if (!form || !input || !list || !status) return;

  const items = [...list.children];
  let search: Promise<Search> | undefined;

  const show = async () => {
    const words = input.value.trim();
    const address = new URL(location.href);
    if (words === '') address.searchParams.delete('q');
    else address.searchParams.set('q', words);
    history.replaceState(null, '', address);
    search ??= loadSearch(form.dataset.index ?? '');
    const find = await search.catch(() => undefined);
    if (words !== input.value.trim()) return;
    if (find === undefined) {
      search = undefined;
      status.textContent = 'The index could not be loaded. Try again in a moment.';
      return;
    }
    const found = words === '' ? items : find(words).flatMap((index) => items[index] ?? []);
    list.replaceChildren(...found);
    status.textContent = words === '' ? EVERYTHING : countOf(found.length, words);
  };

  let timer = 0;
  input.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(show, TYPING_PAUSE_MS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void show();
  });

  input.value = new URLSearchParams(location.search).get('q') ?? '';
  if (input.value !== '') void show();
}

type Search = (words: string) => readonly number[];

/** Positions of the entries that hold any of the words, or a word that begins so, best first. */
async function loadSearch(address: string): Promise<Search> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index answered ${response.status}.`);
  const entries: readonly SearchEntry[] = await response.json();
  const index = lunr(function () {
    this.ref('position');
    this.field('title', { boost: 8 });
    this.field('summary', { boost: 3 });
    this.field('text');
    for (const [position, { title, summary, text }] of entries.entries()) {
      this.add({ position, title, summary, text });
    }
  });
  return (words) =>
    index
      .query((query) => {
        for (const token of lunr.tokenizer(words)) {
          const word = token.toString();
          query.term(word, { boost: 10, presence: lunr.Query.presence.OPTIONAL });
          query.term(word, { wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false });
        }
      })
      .map(({ ref }) => Number(ref));
}

function countOf(count: number, words: string): string {
  if (count === 0) return `Nothing mentions “${words}”. Try a shorter word.`;
  return `${count} ${count === 1 ? 'result' : 'results'} for “${words}”, best first.`;
}
