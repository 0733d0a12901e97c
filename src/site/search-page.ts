import { createFetch } from 'astro-jsonapi/client';

const TYPING_PAUSE_MS = 120;
/** An answer that takes longer is announced. */
const PATIENCE_MS = 400;

interface Term {
  readonly value: string;
  readonly label?: string;
  readonly count: number;
}
interface Answer {
  readonly data: readonly { readonly type: string; readonly id: string }[];
  readonly meta: { readonly facets: Readonly<Record<string, { readonly terms: readonly Term[] }>> };
}

/**
 * Answers the search form in the browser with one query of the API: a server answers it, or the files of a static site.
 * The list on the page is reordered and cut, never written from strings.
 */
export function searchPage(): void {
  const form = document.querySelector<HTMLFormElement>('form.search');
  const list = document.querySelector('.results');
  const status = document.querySelector('.search-status [role=status]');
  const retry = document.querySelector<HTMLButtonElement>('.search-status button');
  if (!form || !list || !status || !retry) return;

  const { base = '', api = '', status: texts = '{}' } = form.dataset;
  const text: Readonly<Record<string, string>> = JSON.parse(texts);
  const items = new Map([...list.children].map((item) => [item.getAttribute('data-key'), item]));
  const facets = [...form.querySelectorAll<HTMLFieldSetElement>('fieldset[name]')];
  const send = createFetch({ base });
  let latest = 0;

  async function show(): Promise<void> {
    const number = ++latest;
    const chosen = new FormData(form ?? undefined);
    const isFiltered = addressOf(chosen) !== '';
    list?.setAttribute('aria-busy', 'true');
    const slow = window.setTimeout(say, PATIENCE_MS, text.searching);
    const answer: Answer | undefined = await send(`${api}/index/_all?${queryOf(chosen, facets)}`)
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    window.clearTimeout(slow);
    // The answer to an older form.
    if (number !== latest || !list || !retry) return;
    list.removeAttribute('aria-busy');
    const hadFocus = retry === document.activeElement;
    retry.hidden = answer !== undefined;
    if (answer === undefined) {
      // The list on the page would not fit the form.
      if (isFiltered) list.replaceChildren();
      say(text.failed);
      return;
    }
    const found = answer.data.flatMap(({ type, id }) => items.get(`${type}/${id}`) ?? []);
    list.replaceChildren(...(isFiltered ? found : items.values()));
    say(isFiltered ? countOf(found.length) : text.everything);
    for (const facet of facets)
      showTerms(facet, answer.meta.facets[facet.name]?.terms ?? [], chosen.getAll(facet.name));
    if (hadFocus) form?.querySelector('input')?.focus();
  }

  function say(sentence = ''): void {
    if (status && status.textContent !== sentence) status.textContent = sentence;
  }

  function countOf(count: number): string | undefined {
    if (count === 0) return text.nothing;
    return count === 1 ? text.one : text.several?.replace('#', String(count));
  }

  /** Puts the state of the address into the form. Terms that it names get their checkbox with the first answer. */
  function restore(): void {
    const state = new URLSearchParams(location.search);
    const input = form?.elements.namedItem('q');
    if (input instanceof HTMLInputElement) input.value = state.get('q') ?? '';
    for (const facet of facets) {
      const terms = state.getAll(facet.name).map((value) => ({ value, count: 0 }));
      showTerms(facet, terms, state.getAll(facet.name));
    }
    void show();
  }

  function remember(how: 'pushState' | 'replaceState'): void {
    const search = addressOf(new FormData(form ?? undefined));
    if (`?${search}` !== location.search)
      history[how](null, '', `${location.pathname}${search && `?${search}`}`);
    void show();
  }

  let timer = 0;
  form.addEventListener('input', ({ target }) => {
    window.clearTimeout(timer);
    const isTyped = target instanceof HTMLInputElement && target.type === 'search';
    timer = window.setTimeout(
      remember,
      isTyped ? TYPING_PAUSE_MS : 0,
      isTyped ? 'replaceState' : 'pushState',
    );
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    window.clearTimeout(timer);
    remember('pushState');
  });
  retry.addEventListener('click', show);
  window.addEventListener('popstate', () => {
    window.clearTimeout(timer);
    restore();
  });
  restore();
}

/** The whole words of all texts, or a part of a title: the last word may be incomplete. */
function queryOf(chosen: FormData, facets: readonly HTMLFieldSetElement[]): URLSearchParams {
  const query = new URLSearchParams({ 'page[limit]': '0' });
  const words = String(chosen.get('q') ?? '').trim();
  if (/[\p{L}\p{N}]/u.test(words)) {
    query.set('filter[either][group][conjunction]', 'OR');
    add(query, 'words', { path: 'fulltext', value: words, memberOf: 'either' });
    add(query, 'part', { path: 'title', operator: 'CONTAINS', value: words, memberOf: 'either' });
  }
  for (const { name, dataset } of facets) {
    query.set(`facetBy[${name}][operator]`, 'or');
    query.set(`facetBy[${name}][limit]`, '12');
    const values = chosen.getAll(name);
    if (values.length === 0) continue;
    add(query, name, { path: dataset.path ?? name, operator: 'IN' });
    for (const value of values) query.append(`filter[${name}][condition][value][]`, String(value));
  }
  return query;
}

function add(query: URLSearchParams, name: string, condition: Readonly<Record<string, string>>): void {
  for (const [part, value] of Object.entries(condition))
    query.set(`filter[${name}][condition][${part}]`, value);
}

/** The form without its empty parts. */
function addressOf(chosen: FormData): string {
  const filled = [...chosen].map(([name, value]) => [name, String(value).trim()]);
  return new URLSearchParams(filled.filter(([, value]) => value !== '')).toString();
}

/** Checkboxes are reused, to keep the focus. */
function showTerms(
  facet: HTMLFieldSetElement,
  terms: readonly Term[],
  chosen: readonly FormDataEntryValue[],
): void {
  const labels = new Map(
    [...facet.querySelectorAll('label')].map((label) => [label.querySelector('input')?.value, label]),
  );
  const missing = chosen.map(String).filter((value) => terms.every((term) => term.value !== value));
  const names = new Map<string, string>(Object.entries(JSON.parse(facet.dataset.labels ?? '{}')));
  const shown = [...terms, ...missing.map((value) => ({ value, count: 0, label: undefined }))];
  const current = shown.map(({ value, label, count }) => {
    const element = labels.get(value) ?? checkboxOf(facet.name, value);
    const [input, name, number] = element.children;
    const text = label ?? names.get(value);
    if (input instanceof HTMLInputElement) input.checked = chosen.includes(value);
    if (name && (text !== undefined || name.textContent === '')) name.textContent = text ?? value;
    if (number) number.textContent = String(count);
    return element;
  });
  const focused = document.activeElement;
  facet.hidden = current.length === 0;
  facet.querySelector('div')?.replaceChildren(...current);
  if (focused instanceof HTMLElement && facet.contains(focused)) focused.focus();
}

function checkboxOf(name: string, value: string): HTMLLabelElement {
  const label = document.createElement('label');
  const input = Object.assign(document.createElement('input'), { type: 'checkbox', name, value });
  const count = Object.assign(document.createElement('span'), { className: 'count' });
  label.append(input, document.createElement('span'), count);
  return label;
}
