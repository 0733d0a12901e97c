import { pathInput } from './combobox.ts';
import { conditionTree, type FormHost } from './condition-tree.ts';
import { button, type Child, h, iconButton, select } from './dom.ts';
import { documentTypes, type IncludeOption, includeOptions, pathOptions, typeNamed } from './field-paths.ts';
import { conditionCount, emptyForm, type FormSort } from './query-form.ts';

/** The whole form: bundle, words, conditions, sort, includes, fields and page. */
export function formSections(host: FormHost): readonly HTMLElement[] {
  const form = host.form();
  const conditions = conditionCount(form.filter);
  return [
    bundleSection(host),
    // A search in the URL is shown whether the site can be searched or not: it can be taken out there.
    ...(host.schema.fulltext || form.search !== '' ? [section('Search', '', searchInput(host))] : []),
    section('Conditions', conditions === 0 ? '' : String(conditions), conditionTree(host)),
    section('Sort', '', sortRows(host)),
    section('Include', form.include.length === 0 ? '' : String(form.include.length), includeTree(host)),
    section('Fields', '', ...fieldLists(host)),
    section('Page', '', pageInputs(host)),
  ];
}

function section(title: string, note: string, ...content: readonly Child[]): HTMLElement {
  const count = note === '' ? null : h('span', { class: 'badge' }, note);
  return h('section', { class: 'part', 'aria-label': title }, h('h2', {}, title, count), ...content);
}

function bundleSection(host: FormHost): HTMLElement {
  const options = host.schema.types.map((type) => {
    const name = type.entityType === 'node' ? type.bundle : type.name;
    return [type.name, `${name} (${type.count})`] as const;
  });
  const choose = (name: string): void => host.change(emptyForm(name), 'bundle');
  const input = select(options, host.form().type, choose, { id: 'bundle', 'data-key': 'bundle' });
  return h('section', { class: 'part bundle' }, h('label', { for: 'bundle' }, 'Bundle'), input);
}

function searchInput(host: FormHost): HTMLElement {
  const element = h('input', {
    type: 'search',
    value: host.form().search,
    placeholder: 'words that all occur',
    'aria-label': 'Words',
    'data-key': 'search',
    oninput: () => host.change({ ...host.form(), search: element.value }),
  });
  return h('div', { 'data-row': true }, element);
}

function sortRows(host: FormHost): HTMLElement {
  const { sort } = host.form();
  const set = (next: readonly FormSort[], focus?: string): void =>
    host.change({ ...host.form(), sort: next }, focus);
  const change = (index: number, part: Partial<FormSort>): void =>
    set(host.form().sort.map((key, at) => (at === index ? { ...key, ...part } : key)));
  const rows = sort.map((key, index) =>
    h(
      'div',
      { class: 'sort', role: 'group', 'aria-label': `Sort key ${index + 1}`, 'data-row': true },
      h('span', { class: 'lead' }, index === 0 ? 'by' : 'then'),
      pathInput({
        label: `Sort field ${index + 1}`,
        value: key.path,
        options: (typed) => pathOptions(host.schema, host.form().type, typed, 'sort'),
        onchange: (path) => change(index, { path }),
        attributes: { 'data-key': `sort-${index}` },
      }),
      select(
        [
          ['ASC', '↑ ascending'],
          ['DESC', '↓ descending'],
        ],
        key.direction,
        (direction) => change(index, { direction: direction === 'DESC' ? 'DESC' : 'ASC' }),
        { 'aria-label': 'Direction' },
      ),
      index === 0
        ? null
        : iconButton('↑', 'Move before the previous key', () =>
            set(swapped(host.form().sort, index - 1), `sort-${index - 1}`),
          ),
      iconButton('×', 'Remove the sort key', () =>
        set(
          host.form().sort.filter((_, at) => at !== index),
          'add-sort',
        ),
      ),
    ),
  );
  const add = (): void =>
    set([...host.form().sort, { path: '', direction: 'ASC' }], `sort-${host.form().sort.length}`);
  return h(
    'div',
    {},
    ...rows,
    h('div', { class: 'adders' }, button('+ Sort key', add, { class: 'quiet', 'data-key': 'add-sort' })),
  );
}

/** Two neighbours of a list exchanged, the first at `index`. */
function swapped(sort: readonly FormSort[], index: number): readonly FormSort[] {
  return [...sort.slice(0, index), ...sort.slice(index, index + 2).reverse(), ...sort.slice(index + 2)];
}

/** References as checkboxes; those behind a reference are offered once it is chosen. */
function includeTree(host: FormHost): HTMLElement {
  const level = (path: string): readonly HTMLElement[] =>
    includeOptions(host.schema, host.form().type, path).map((option) => {
      const chosen = isIncluded(host, option.path);
      const deeper = chosen ? level(option.path) : [];
      return h(
        'li',
        {},
        checkbox(option.name, shortTypes(option.targets), chosen, `include-${option.path}`, (on) =>
          include(host, option, on),
        ),
        deeper.length === 0 ? null : h('ul', { class: 'checks' }, ...deeper),
      );
    });
  const known = level('');
  const offered = new Set(knownPaths(host, ''));
  const others = host
    .form()
    .include.filter((path) => !offered.has(path))
    .map((path) =>
      h(
        'li',
        {},
        checkbox(path, 'not in the schema', true, `include-${path}`, () => include(host, { path }, false)),
      ),
    );
  if (known.length + others.length === 0) return h('p', { class: 'empty' }, 'This bundle has no references.');
  return h(
    'ul',
    { class: 'checks', 'data-key': 'include', 'data-row': true, tabindex: -1 },
    ...known,
    ...others,
  );
}

/** Paths that have a checkbox now. */
function knownPaths(host: FormHost, path: string): readonly string[] {
  return includeOptions(host.schema, host.form().type, path).flatMap((option) =>
    isIncluded(host, option.path) ? [option.path, ...knownPaths(host, option.path)] : [option.path],
  );
}

function isIncluded(host: FormHost, path: string): boolean {
  return host.form().include.some((chosen) => chosen === path || chosen.startsWith(`${path}.`));
}

/** A longer path brings the shorter ones with it, so these are not listed beside it. */
function include(host: FormHost, option: Pick<IncludeOption, 'path'>, on: boolean): void {
  const { path } = option;
  const others = host.form().include.filter((other) => other !== path && !other.startsWith(`${path}.`));
  const dot = path.lastIndexOf('.');
  const parent = dot < 0 ? '' : path.slice(0, dot);
  const next = on ? [...others.filter((other) => other !== parent), path] : keepParent(others, parent);
  host.change({ ...host.form(), include: next }, `include-${path}`);
}

function keepParent(include: readonly string[], parent: string): readonly string[] {
  const covered = parent === '' || include.some((path) => path === parent || path.startsWith(`${parent}.`));
  return covered ? include : [...include, parent];
}

/** A list of checkboxes for each type in the document; none checked answers all fields. */
function fieldLists(host: FormHost): readonly HTMLElement[] {
  const form = host.form();
  const types = [...new Set([...documentTypes(host.schema, form.type, form.include), ...form.fields.keys()])];
  return types.map((typeName) => {
    const chosen = form.fields.get(typeName) ?? [];
    const names = [
      ...new Set([...(typeNamed(host.schema, typeName)?.fields.map((field) => field.name) ?? []), ...chosen]),
    ];
    const set = (next: readonly string[], focus: string): void => {
      const fields = new Map(host.form().fields);
      if (next.length === 0) fields.delete(typeName);
      else fields.set(typeName, next);
      host.change({ ...host.form(), fields }, focus);
    };
    const toggle = (name: string, on: boolean): void =>
      set(
        names.filter((other) => (other === name ? on : chosen.includes(other))),
        `fields-${typeName}-${name}`,
      );
    const key = `fields-${typeName}`;
    return h(
      'details',
      {
        class: 'fields',
        open: openFields.has(typeName),
        'data-row': true,
        ontoggle: (event) => rememberOpen(event, typeName),
      },
      h(
        'summary',
        { 'data-key': key },
        h('span', { class: 'mono' }, typeName.replace(/^node--/, '')),
        h(
          'span',
          { class: 'muted' },
          chosen.length === 0 ? 'all fields' : `${chosen.length} of ${names.length}`,
        ),
      ),
      h(
        'ul',
        { class: 'checks columns' },
        ...names.map((name) =>
          h(
            'li',
            {},
            checkbox(name, '', chosen.includes(name), `${key}-${name}`, (on) => toggle(name, on)),
          ),
        ),
      ),
      chosen.length === 0 ? null : button('All fields', () => set([], key), { class: 'quiet small' }),
    );
  });
}

// Kept beside the form: which lists are open is no part of the query.
const openFields = new Set<string>();

function rememberOpen(event: Event, typeName: string): void {
  if (!(event.currentTarget instanceof HTMLDetailsElement)) return;
  if (event.currentTarget.open) openFields.add(typeName);
  else openFields.delete(typeName);
}

function pageInputs(host: FormHost): HTMLElement {
  const { offset, limit } = host.form();
  const input = (
    name: 'offset' | 'limit',
    label: string,
    value: string,
    placeholder: string,
  ): HTMLElement => {
    const element = h('input', {
      type: /^\d*$/.test(value) ? 'number' : 'text',
      min: 0,
      step: 1,
      id: `page-${name}`,
      value,
      placeholder,
      'data-key': name,
      oninput: () => host.change({ ...host.form(), [name]: element.value }),
    });
    return h(
      'div',
      { class: 'page-input', 'data-row': true },
      h('label', { for: `page-${name}` }, label),
      element,
    );
  };
  return h(
    'div',
    { class: 'page' },
    input('offset', 'Offset', offset, '0'),
    input('limit', 'Limit', limit, 'default'),
    h('p', { class: 'hint' }, '0 answers everything.'),
  );
}

function checkbox(
  text: string,
  note: string,
  checked: boolean,
  key: string,
  onchange: (on: boolean) => void,
): HTMLElement {
  const box = h('input', {
    type: 'checkbox',
    checked,
    'data-key': key,
    onchange: () => onchange(box.checked),
  });
  const hint = note === '' ? null : h('span', { class: 'muted' }, note);
  return h('label', { class: 'check' }, box, h('span', { class: 'mono' }, text), hint);
}

function shortTypes(names: readonly string[]): string {
  return `→ ${names.map((name) => name.replace(/^node--/, '')).join(', ')}`;
}
