import { describe, expect, it } from 'vitest';
import { inRequests, operationsFor, undoOperationFor } from '../../../admin/src/model/bulk-change.ts';
import {
  bundlesOf,
  filterFields,
  type ListState,
  matchesPath,
  pagePath,
  readState,
  shownColumns,
  toggleFilter,
  toggleSort,
  writeState,
} from '../../../admin/src/model/content-list.ts';
import { SCHEMA } from './example-schema.ts';

const articles = (query = ''): ListState => readState(new URLSearchParams(`type=node--article&${query}`));
const parametersOf = (path: string) => new URLSearchParams(path.split('?')[1]);

describe('the address of a content list', () => {
  it.each([
    'type=node--article&q=low+tide&f.status=false&f.uid=jane&f.uid=omar&sort=-title&lang=de&columns=status%2Cuid&page=3',
    'f.created=2024',
    '',
  ])('holds the whole state: %j', (query) => {
    expect(writeState(readState(new URLSearchParams(query)))).toBe(query);
  });

  it.each(['page=0', 'page=-1', 'page=x', 'page=1.5'])('shows the first page for %s', (query) => {
    expect(articles(query).page).toBe(1);
  });
});

describe('the request of a content list', () => {
  it('asks for one page of the bundle, its columns and the counts of its filters', () => {
    const path = pagePath(SCHEMA, articles());
    const parameters = parametersOf(path);
    expect(path.split('?')[0]).toBe('/node/article');
    expect(parameters.get('page[limit]')).toBe('50');
    expect(parameters.get('sort')).toBe('-changed');
    expect(parameters.get('fields[node--article]')).toMatch(/^title,status,/);
    for (const { field, kind } of filterFields(bundlesOf(SCHEMA, articles()))) {
      expect(parameters.get(`facetBy[${field.name}][operator]`)).toBe('or');
      expect(parameters.get(`facetBy[${field.name}][interval]`)).toBe(kind === 'year' ? 'year' : null);
    }
  });

  it('asks for the content of all bundles with the fields that all of them have', () => {
    const state = readState(new URLSearchParams('sort=title&page=2'));
    const path = pagePath(SCHEMA, state);
    expect(path.split('?')[0]).toBe('/index/_all');
    expect(parametersOf(path).get('page[offset]')).toBe('50');
    expect(parametersOf(path).get('sort')).toBe('title');
  });

  it('reads the titles of the references in its columns', () => {
    const parameters = parametersOf(pagePath(SCHEMA, articles('columns=field_source,changed')));
    expect(parameters.get('include')).toBe('field_source');
    expect([parameters.get('fields[node--person]'), parameters.get('fields[node--tag]')]).toEqual([
      'title',
      'title',
    ]);
    expect(parametersOf(pagePath(SCHEMA, articles('columns=changed'))).has('include')).toBe(false);
  });

  it('combines several values of a filter with OR, and a missing value with IS NULL', () => {
    const parameters = parametersOf(
      pagePath(SCHEMA, articles('f.field_author=jane&f.field_author=omar&f.field_author=')),
    );
    expect(parameters.get('filter[any-field_author][group][conjunction]')).toBe('OR');
    expect(parameters.getAll('filter[field_author-0][condition][value][]')).toEqual(['jane', 'omar']);
    expect(parameters.get('filter[field_author-0][condition][path]')).toBe('field_author.id');
    expect(parameters.get('filter[field_author-1][condition][operator]')).toBe('IS NULL');
  });

  it('turns a year into its first and last instant', () => {
    expect(
      parametersOf(pagePath(SCHEMA, articles('f.changed=2024'))).getAll(
        'filter[changed-0][condition][value][]',
      ),
    ).toEqual(['2024-01-01T00:00:00Z', '2024-12-31T23:59:59.999Z']);
  });

  it('ignores filters and columns of fields that the bundle does not have', () => {
    const path = pagePath(SCHEMA, articles('f.nothing=1&columns=nothing,title,changed'));
    expect(path).not.toContain('nothing');
    expect(
      shownColumns(bundlesOf(SCHEMA, articles()), ['nothing', 'changed']).map(({ name }) => name),
    ).toEqual(['changed']);
  });

  it('shows all content, without the filter that a bundle has by default', () => {
    expect(parametersOf(pagePath(SCHEMA, articles())).get('filter')).toBe('');
    const filtered = parametersOf(pagePath(SCHEMA, articles('q=moon')));
    expect([filtered.get('filter'), filtered.get('filter[words][condition][value]')]).toEqual([null, 'moon']);
  });

  it('reads all matches in an order that no change moves', () => {
    const parameters = parametersOf(
      matchesPath(SCHEMA, articles('f.status=false&sort=-changed'), ['title'], 2),
    );
    expect([parameters.get('sort'), parameters.get('page[offset]')]).toEqual(['id', '100']);
  });
});

describe('a change of the list', () => {
  it('selects a value, selects another, and removes both', () => {
    const one = toggleFilter(articles('page=4'), 'status', 'true');
    expect([one.page, one.filters.get('status')]).toEqual([1, ['true']]);
    const two = toggleFilter(one, 'status', 'false');
    expect(two.filters.get('status')).toEqual(['true', 'false']);
    expect(toggleFilter(toggleFilter(two, 'status', 'true'), 'status', 'false').filters.size).toBe(0);
  });

  it('sorts ascending first, then descending', () => {
    const ascending = toggleSort(articles('page=2'), 'title');
    expect([ascending.sort, ascending.page, toggleSort(ascending, 'title').sort]).toEqual([
      'title',
      1,
      '-title',
    ]);
  });
});

describe('an operation of a bulk change', () => {
  const [article] = bundlesOf(SCHEMA, articles());
  const field = (name: string) => {
    const found = article?.fields.find((each) => each.name === name);
    if (found === undefined) throw new Error(`The example schema has no field ${name}.`);
    return found;
  };
  const sky = { type: 'node--tag', id: 'sky' };
  const sea = { type: 'node--tag', id: 'sea' };
  const moon = {
    type: 'node--article',
    id: 'moon',
    attributes: { title: 'The moon', status: false },
    relationships: { field_tags: { data: [{ ...sky, meta: { drupal_internal__target_id: 'sky' } }] } },
    meta: { revision: 'abc' },
    links: {},
  };
  const guard = { meta: { ifMatch: 'abc' } };

  it('sends the revision on which it is based', () => {
    expect(operationsFor({ kind: 'publish' }, moon)).toEqual([
      {
        op: 'update',
        data: { type: 'node--article', id: 'moon', attributes: { status: true } },
        ...guard,
      },
    ]);
  });

  it('is left out if it would change nothing', () => {
    expect(operationsFor({ kind: 'unpublish' }, moon)).toEqual([]);
    expect(operationsFor({ kind: 'add', field: field('field_tags'), value: sky }, moon)).toEqual([]);
    expect(operationsFor({ kind: 'set', field: field('field_tags'), value: [sky] }, moon)).toEqual([]);
  });

  it('appends a value to a list', () => {
    expect(operationsFor({ kind: 'add', field: field('field_tags'), value: sea }, moon)).toEqual([
      {
        op: 'update',
        data: { type: 'node--article', id: 'moon', relationships: { field_tags: { data: [sky, sea] } } },
        ...guard,
      },
    ]);
  });

  it('is undone with the former value, if the entry is as the change left it', () => {
    const after = { meta: { ifMatch: 'def' } };
    const undo = (name: string) =>
      undoOperationFor({ kind: 'set', field: field(name), value: null }, moon, 'def');
    const { type, id } = moon;
    expect(undo('field_tags')).toEqual({
      op: 'update',
      data: { type, id, relationships: { field_tags: { data: [sky] } } },
      ...after,
    });
    expect(undo('field_rating')).toEqual({
      op: 'update',
      data: { type, id, attributes: { field_rating: null } },
      ...after,
    });
    expect(undoOperationFor({ kind: 'publish' }, moon, 'def')).toEqual({
      op: 'update',
      data: { type, id, attributes: { status: false } },
      ...after,
    });
  });

  it('stays in one request with the others of its entity', () => {
    expect(inRequests([2, 1, 3, 1, 1], 3, (count) => count)).toEqual([[2, 1], [3], [1, 1]]);
  });

  it.each([
    [0, []],
    [2, [2]],
    [3, [2, 1]],
  ])('is sent with others: %i operations in requests of at most two', (count, sizes) => {
    expect(inRequests(Array.from({ length: count }), 2).map(({ length }) => length)).toEqual(sizes);
  });
});
