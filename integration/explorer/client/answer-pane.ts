import { answerNotes } from './answer-notes.ts';
import { readFacts, type ShownError, tabulate } from './api-document.ts';
import { button, byId, type Child, copyText, h, replaceChildren } from './dom.ts';
import { jsonView, type LinkOf, type Opening } from './json-view.ts';
import { type AnswerView, VIEWS } from './location-hash.ts';
import type { Answer, Explained } from './request.ts';

export interface AnswerPane {
  /** Shows that an answer is on its way; the last one stays until it comes. */
  wait(): void;
  /** `said` stands in place of what the answer itself says at its head. */
  show(answer: Answer, said?: string): void;
  /** Takes the last answer away. */
  clear(said: string): void;
  /** What can be done next, beneath what the answer says of itself; until the next answer. */
  offer(steps: readonly Child[]): void;
  /** The plan of the answer shown; undefined where there is none. */
  explain(explained: Explained | undefined): void;
  view(view: AnswerView): void;
  /** Whether the answer is of another query than the form's. */
  stale(isStale: boolean): void;
}

export interface AnswerPaneOptions {
  readonly linkOf: LinkOf;
  /** Whether the server explains its queries. */
  readonly plans: boolean;
  onview(view: AnswerView): void;
  /** Focuses the input that an error names; undefined where none did. */
  focusOf(error: ShownError): (() => void) | undefined;
}

const VIEW_NAMES: Readonly<Record<AnswerView, string>> = {
  json: 'JSON',
  table: 'Table',
  plan: 'Plan',
};

/** The right half of the page: what came back, in three views. */
export function answerPane(options: AnswerPaneOptions): AnswerPane {
  const views = VIEWS.filter((view) => view !== 'plan' || options.plans);
  let chosen: AnswerView = 'json';
  let current: Answer | undefined;
  const tabs = new Map(views.map((view) => [view, tab(view)]));
  byId('tabs').append(...tabs.values());
  byId('tabs').addEventListener('keydown', onTabKey);
  return { wait, show, clear, offer, explain, view, stale };

  function tab(name: AnswerView): HTMLButtonElement {
    return button(VIEW_NAMES[name], () => options.onview(name), {
      role: 'tab',
      id: `tab-${name}`,
      'aria-controls': `view-${name}`,
    });
  }

  function view(name: AnswerView): void {
    chosen = tabs.has(name) ? name : 'json';
    for (const [other, element] of tabs) {
      element.setAttribute('aria-selected', String(other === chosen));
      element.tabIndex = other === chosen ? 0 : -1;
      byId(`view-${other}`).hidden = other !== chosen;
    }
    drawTable();
  }

  function onTabKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = views[(views.indexOf(chosen) + step + views.length) % views.length] ?? 'json';
    event.preventDefault();
    options.onview(next);
    tabs.get(next)?.focus();
  }

  function wait(): void {
    byId('answer').setAttribute('aria-busy', 'true');
  }

  function show(answer: Answer, said?: string): void {
    current = answer;
    const facts = readFacts(answer.document);
    byId('answer').setAttribute('aria-busy', 'false');
    const failed = answer.status === undefined || answer.status >= 400;
    replaceChildren(byId('count'), said ?? countText(facts.count, facts.shown, failed));
    replaceChildren(byId('facts'), ...factChips(answer));
    replaceChildren(byId('errors'), ...errorCards(answer, facts.errors), ignoredNote(facts.ignored));
    replaceChildren(byId('notes'), ...answerNotes(answer, options.linkOf));
    replaceChildren(byId('steps'));
    replaceChildren(byId('pager'), ...pagerLinks(facts.links));
    drawJson('fit');
    replaceChildren(byId('view-table'));
    drawTable();
  }

  function clear(said: string): void {
    current = undefined;
    byId('answer').setAttribute('aria-busy', 'false');
    replaceChildren(byId('count'), said);
    for (const id of ['facts', 'errors', 'notes', 'steps', 'pager', 'view-json', 'view-table', 'view-plan']) {
      replaceChildren(byId(id));
    }
    stale(false);
  }

  function offer(steps: readonly Child[]): void {
    replaceChildren(byId('steps'), ...steps);
  }

  function drawJson(opening: Opening): void {
    if (current === undefined) return;
    const { document, text } = current;
    const body =
      document === undefined
        ? h('pre', { class: 'plain' }, text)
        : jsonView(document, options.linkOf, opening);
    const copy = button(
      'Copy JSON',
      () => copyText(document === undefined ? text : JSON.stringify(document, null, 2), copy),
      {
        class: 'quiet small',
      },
    );
    const tools = [
      button('Open all', () => drawJson('all'), { class: 'quiet small' }),
      button('Fold', () => drawJson('folded'), { class: 'quiet small' }),
      copy,
    ];
    replaceChildren(byId('view-json'), h('div', { class: 'tools' }, ...(text === '' ? [] : tools)), body);
  }

  /** Made when first looked at. */
  function drawTable(): void {
    const place = byId('view-table');
    if (chosen !== 'table' || current === undefined || place.childElementCount > 0) return;
    const { columns, rows } = tabulate(current.document);
    if (rows.length === 0) {
      sayNothing(place, 'No resources in this answer.');
      return;
    }
    const cell = (text: string | null): HTMLElement =>
      text === null
        ? h('td', { class: 'none' }, '–')
        : h('td', { title: text.length > 30 ? text.slice(0, 300) : undefined }, text);
    const body = rows.map(({ cells, self }) => {
      const hash = self === undefined ? undefined : options.linkOf(self);
      const [id = null, ...others] = cells;
      const name = hash === undefined ? id : h('a', { href: hash }, id);
      return h('tr', {}, h('th', { scope: 'row' }, name), ...others.map(cell));
    });
    const head = h('tr', {}, ...columns.map((name) => h('th', { scope: 'col' }, name)));
    const table = h('table', {}, h('thead', {}, head), h('tbody', {}, ...body));
    replaceChildren(
      place,
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Resources' }, table),
    );
  }

  function explain(explained: Explained | undefined): void {
    const place = byId('view-plan');
    if (explained === undefined) {
      sayNothing(place, 'No plan: only a collection that is answered has one.');
      return;
    }
    const { plan, ast, resolveMs, executeMs } = explained;
    byId('facts').append(chip('resolve', duration(resolveMs)), chip('execute', duration(executeMs)));
    replaceChildren(
      place,
      h('p', { class: 'hint' }, `Resolved in ${duration(resolveMs)}, executed in ${duration(executeMs)}.`),
      h('pre', { class: 'plain', tabindex: 0, 'aria-label': 'Plan' }, plan),
      h('h3', {}, 'As parsed'),
      jsonView(ast, () => undefined),
    );
  }

  function stale(isStale: boolean): void {
    byId('stale').hidden = !isStale || current === undefined;
  }

  function errorCards(answer: Answer, errors: readonly ShownError[]): readonly HTMLElement[] {
    if (answer.failure !== undefined) return [h('div', { class: 'error' }, h('p', {}, answer.failure))];
    if (answer.status === 204) return [];
    if (answer.document === undefined) {
      return [
        h('div', { class: 'error' }, h('p', {}, 'The answer is not JSON; it is shown below as it came.')),
      ];
    }
    return errors.map((error) => {
      const place = error.parameter ?? error.pointer ?? error.header;
      const focus = options.focusOf(error);
      return h(
        'div',
        { class: 'error' },
        h('h3', {}, [error.status, error.title].filter((part) => part !== '').join(' ')),
        h('p', {}, error.detail),
        place === undefined || place === ''
          ? null
          : h(
              'p',
              { class: 'source' },
              h('code', {}, place),
              focus === undefined ? null : button('Go to the input', focus, { class: 'quiet small' }),
            ),
      );
    });
  }

  function pagerLinks(links: ReadonlyMap<string, string>): readonly Child[] {
    return Object.entries(PAGER).map(([name, text]) => {
      const href = links.get(name);
      const hash = href === undefined ? undefined : options.linkOf(href);
      return hash === undefined ? null : h('a', { class: 'quiet small', href: hash }, text);
    });
  }
}

const PAGER = { first: '« First', prev: '‹ Previous', next: 'Next ›', last: 'Last »' };

function sayNothing(place: Element, text: string): void {
  replaceChildren(place, h('p', { class: 'empty' }, text));
}

function countText(count: number | undefined, shown: number | undefined, failed: boolean): string {
  if (failed) return 'Not answered';
  const total = count ?? shown;
  // The entry point has an empty `data` and no count: it is no list of nothing.
  if (total === undefined || (count === undefined && shown === 0)) return 'Answered';
  const noun = total === 1 ? 'entity' : 'entities';
  return `${total.toLocaleString('en')} ${noun}${shown === undefined || shown === total ? '' : `, ${shown} shown`}`;
}

function factChips(answer: Answer): readonly HTMLElement[] {
  const { method, status, statusText, size, milliseconds } = answer;
  const good = status !== undefined && status < 400;
  const told = status === undefined ? 'no answer' : `${status} ${statusText}`.trim();
  const label = method === 'GET' ? told : `${method} ${told}`;
  return [
    h('span', { class: good ? 'chip good' : 'chip bad' }, label),
    chip('round trip', duration(milliseconds)),
    ...(status === undefined ? [] : [chip('size', bytes(size))]),
  ];
}

function chip(name: string, value: string): HTMLElement {
  return h('span', { class: 'chip' }, h('span', { class: 'muted' }, `${name} `), value);
}

function ignoredNote(ignored: readonly string[]): Child {
  return ignored.length === 0
    ? null
    : h('p', { class: 'note' }, `Without effect on the answer: ${ignored.join(', ')}.`);
}

function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  return milliseconds < 10 ? `${milliseconds.toFixed(2)} ms` : `${Math.round(milliseconds)} ms`;
}

function bytes(size: number): string {
  return size < 1024
    ? `${size} B`
    : size < 1024 * 1024
      ? `${(size / 1024).toFixed(1)} kB`
      : `${(size / 1024 / 1024).toFixed(1)} MB`;
}
