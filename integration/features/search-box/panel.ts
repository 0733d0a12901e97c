import { positionedWords } from '../../core/engine/text/positioned-words.ts';
import { INVISIBLE } from '../../core/engine/text/words.ts';
import type { Answer, Entry, Term } from './answer.ts';
import { element, marked, nearMatch } from './dom.ts';
import { fill, type Texts } from './texts.ts';

/** What the content of a panel needs of its box. */
export interface PanelBox {
  text(name: keyof Texts): string;
  /** A number as the language of the page writes it. */
  number(value: number): string;
  /** The address of the page of an entry. */
  linkTo(entry: Entry): string;
  /** The address of the page of all results; undefined without one. */
  resultPage(words: string): string | undefined;
  /** Labels by resource type. Results are one list without them. */
  readonly groups: ReadonlyMap<string, string>;
  readonly facetLabel: string | null;
  /** The terms of the facet that the results are filtered by. */
  readonly chosen: readonly string[];
}

/** What a panel shows, and what screen readers announce. */
export interface PanelContent {
  readonly above: readonly Node[];
  readonly options: readonly Node[];
  readonly spoken?: string;
}

export function answerContent(answer: Answer, words: string, box: PanelBox): PanelContent {
  const { entries, count, search, terms } = answer;
  const above: Node[] = [];
  const suggested = search
    .filter(({ match }) => match === 'corrected')
    .flatMap(({ as, word }) => (as ?? []).map((other) => ({ word, other })));
  if (suggested.length > 0) {
    const buttons = suggested.map(({ word, other }) =>
      element('button', { type: 'button', part: 'button', 'data-words': replaceWord(words, word, other) }, [
        other,
      ]),
    );
    const parts = buttons.flatMap((button) => [' ', button]);
    above.push(element('p', { class: 'note', part: 'note' }, [box.text('corrected'), ...parts]));
  }
  const missing = search.filter(({ match }) => match === 'none').map(({ word }) => word);
  if (missing.length > 0 && entries.length > 0) {
    above.push(note(fill(box.text('missing'), { words: missing.join(', ') })));
  }
  if (terms.length > 0) above.push(facetOf(terms, box));
  if (entries.length > 0) {
    const options = [...grouped(entries, box), ...allResults(words, count, box)];
    return { above, options, spoken: fill(box.text('results'), { n: box.number(count) }) };
  }
  const nothing = fill(box.text('nothing'), { words });
  const text = element('p', { class: 'note', part: 'note empty' }, [
    element('strong', {}, [nothing]),
    ` ${box.text('advice')}`,
  ]);
  return { above: [...above, text], options: [], spoken: nothing };
}

export function failureContent({ text }: Pick<PanelBox, 'text'>): PanelContent {
  const retry = element('button', { type: 'button', part: 'button', 'data-retry': true }, [text('retry')]);
  const row = element('div', { class: 'row' }, [note(text('failed')), retry]);
  return { above: [row], options: [], spoken: text('failed') };
}

/** The words of recent searches. */
export function recentContent(recent: readonly string[], { text }: Pick<PanelBox, 'text'>): PanelContent {
  const head = element('div', { class: 'row' }, [
    element('p', { class: 'heading', part: 'group-label' }, [text('recent')]),
    element('button', { type: 'button', part: 'button', 'data-clear': true }, [text('clear')]),
  ]);
  const options = recent.map((words) =>
    element(
      'div',
      { role: 'option', part: 'option recent', 'aria-selected': 'false', dir: 'auto', 'data-words': words },
      [words],
    ),
  );
  return { above: [head], options };
}

export function note(text: string): HTMLElement {
  return element('p', { class: 'note', part: 'note' }, [text]);
}

/** Groups in the order of their best entries. Without labels, one list. */
function grouped(entries: readonly Entry[], box: PanelBox): readonly Node[] {
  if (box.groups.size === 0) return entries.flatMap((entry) => resultOf(entry, box));
  const groups = Map.groupBy(entries, ({ type }) => type);
  return [...groups].map(([type, own], at) => {
    const name = box.groups.get(type) ?? type.slice(type.indexOf('--') + 2);
    return element('div', { role: 'group', 'aria-labelledby': `group-${at}`, part: 'group' }, [
      element('p', { id: `group-${at}`, class: 'group', part: 'group-label', role: 'presentation' }, [name]),
      ...own.flatMap((entry) => resultOf(entry, box)),
    ]);
  });
}

/** The option of an entry, and those of the headings below which it has matches. */
function resultOf(entry: Entry, box: PanelBox): readonly Node[] {
  const href = box.linkTo(entry);
  const lang = entry.langcode || undefined;
  const { excerpt, sections } = entry;
  const isBelow = sections.some(({ text }) => text === excerpt?.text);
  return [
    optionOf({ href, lang }, entry.title, isBelow ? undefined : excerpt),
    ...sections.map(({ heading, ...passage }) =>
      optionOf(
        { href: `${href}#${encodeURIComponent(heading.slug)}`, lang, class: 'below' },
        heading,
        passage,
      ),
    ),
  ];
}

function optionOf(
  attributes: Readonly<Record<string, string | undefined>>,
  title: Entry['title'],
  excerpt: Entry['excerpt'],
): HTMLElement {
  const part = attributes.class === 'below' ? 'option section' : 'option';
  return element(
    'a',
    { role: 'option', part, tabindex: '-1', 'aria-selected': 'false', dir: 'auto', ...attributes },
    [
      element('span', { class: 'title', part: 'title' }, marked(title)),
      ...(excerpt && excerpt.text !== ''
        ? [' ', element('span', { class: 'excerpt', part: 'excerpt' }, marked(nearMatch(excerpt)))]
        : []),
    ],
  );
}

function allResults(words: string, count: number, box: PanelBox): readonly Node[] {
  const href = box.resultPage(words);
  if (href === undefined) return [];
  const text = fill(box.text('all'), { n: box.number(count) });
  const all = {
    role: 'option',
    class: 'all',
    part: 'option all',
    tabindex: '-1',
    'aria-selected': 'false',
    href,
  };
  return [element('a', all, [text])];
}

function facetOf(terms: readonly Term[], box: PanelBox): HTMLElement {
  const label = box.facetLabel ?? box.text('filter');
  const buttons = terms.map(({ value, label: name, count }) =>
    element(
      'button',
      {
        type: 'button',
        part: 'facet',
        'aria-pressed': String(box.chosen.includes(value)),
        'data-term': value,
      },
      [name, ' ', element('span', {}, [box.number(count)])],
    ),
  );
  return element('fieldset', { class: 'facets', part: 'facets' }, [
    element('legend', {}, [label]),
    ...buttons,
  ]);
}

/** The words with one of them replaced, whatever its letter case. */
function replaceWord(words: string, word: string, other: string): string {
  const text = words.normalize('NFC').replace(INVISIBLE, '');
  const found = positionedWords(text).find((each) => each.word === word);
  return found === undefined
    ? `${text} ${other}`
    : text.slice(0, found.start) + other + text.slice(found.end);
}
