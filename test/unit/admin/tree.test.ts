import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../admin/src/api/document.ts';
import type { Bundle, Field } from '../../../admin/src/api/schema.ts';
import {
  type Move,
  moveBy,
  moveTo,
  operationOf,
  rowsOf,
  type TreeRow,
  treeChanges,
  treeTypeOf,
  withPresent,
} from '../../../admin/src/model/tree.ts';

const field = (name: string, kind: string, more: Partial<Field> = {}): Field =>
  ({ name, kind, list: false, targets: [], properties: [], ...more }) as Field;
const MENU: Bundle = {
  name: 'menu_link_content--main',
  entityType: 'menu_link_content',
  bundle: 'main',
  count: 0,
  fields: [
    field('title', 'string'),
    field('parent', 'string'),
    field('weight', 'integer'),
    field('url', 'string'),
  ],
};
const TYPE = treeTypeOf(MENU)!;
const link = (id: string, weight: number, parent = ''): Resource => ({
  type: MENU.name,
  id,
  attributes: { title: id, weight, parent: parent || null },
  relationships: {},
  meta: { revision: `r-${id}` },
  links: {},
});
const titleOf = ({ id }: Resource) => id;
/** `a b >c >>d`: each `>` is one level. */
const rows = (text: string): readonly TreeRow[] =>
  text.split(' ').map((word) => ({ id: word.replace(/>/g, ''), depth: word.lastIndexOf('>') + 1 }));
const written = (all: readonly TreeRow[]) => all.map(({ id, depth }) => '>'.repeat(depth) + id).join(' ');
const ITEMS = [link('a', 0), link('b', 1), link('c', 0, 'b'), link('d', 5, 'b'), link('e', 2)];
const TREE = rows('a b >c >d e');

describe('the type of a tree', () => {
  it('is a menu, or has a parent of its own type and a weight', () => {
    expect(TYPE).toMatchObject({ isMenu: true, parent: { name: 'parent' }, address: { name: 'url' } });
    const weight = field('field_weight', 'integer');
    const tag = (parent: Field): Bundle => ({
      ...MENU,
      name: 'node--tag',
      entityType: 'node',
      fields: [weight, parent],
    });
    const own = field('field_parent', 'reference', { targets: ['node--tag'] });
    expect(treeTypeOf(tag(own))).toMatchObject({ isMenu: false, parent: own, weight });
    expect(treeTypeOf(tag({ ...own, targets: ['node--page'] }))).toBeUndefined();
    expect(treeTypeOf(tag({ ...own, list: true }))).toBeUndefined();
    expect(treeTypeOf({ ...MENU, fields: [] })).toBeUndefined();
  });
});

describe('the rows of a tree', () => {
  it('are in the order of weights, with children below their parent', () => {
    expect(written(rowsOf(TYPE, ITEMS.toReversed(), titleOf))).toBe(written(TREE));
    expect(written(rowsOf(TYPE, [link('b', 0), link('a', 0)], titleOf))).toBe('a b');
  });

  it('have orphans and entities below themselves at the top', () => {
    const lost = [link('a', 0, 'gone'), link('b', 1, 'c'), link('c', 2, 'b')];
    expect(written(rowsOf(TYPE, lost, titleOf))).toBe('a b c');
    const named = { ...link('x', 3), attributes: { title: 'x', parent: 'menu_link_content:a', weight: 1 } };
    expect(written(rowsOf(TYPE, [link('a', 0), named], titleOf))).toBe('a >x');
  });

  it.each([
    ['b', 'up', 'b >c >d a e'],
    ['b', 'down', 'a e b >c >d'],
    ['b', 'in', 'a >b >>c >>d e'],
    ['a', 'up', 'a b >c >d e'],
    ['a', 'in', 'a b >c >d e'],
    ['a', 'out', 'a b >c >d e'],
    ['e', 'in', 'a b >c >d >e'],
    ['e', 'down', 'a b >c >d e'],
    ['c', 'out', 'a b >d c e'],
    ['d', 'out', 'a b >c d e'],
    ['d', 'up', 'a b >d >c e'],
    ['c', 'up', 'a b >c >d e'],
    ['d', 'in', 'a b >c >>d e'],
  ] as [string, Move, string][])('after %s went %s', (id, move, after) => {
    expect(written(moveBy(TREE, id, move))).toBe(after);
  });

  it('move with their children, at the nearest possible depth', () => {
    expect(written(moveTo(TREE, 'b', 0, 3))).toBe('b >c >d a e');
    expect(written(moveTo(TREE, 'b', 2, 9))).toBe('a e >b >>c >>d');
    expect(written(moveTo(TREE, 'e', 2, 0))).toBe('a b >e >c >d');
    expect(written(moveTo(TREE, 'none', 2, 0))).toBe(written(TREE));
  });

  it('stay in their order if others have added or removed entities', () => {
    expect(written(withPresent(rows('b >c >>x a'), rows('a b c n')))).toBe('b >c a n');
    expect(written(withPresent(rows('b >c >>x a'), rows('a x')))).toBe('x a');
  });
});

describe('the changes of a tree', () => {
  const changes = (text: string, items = ITEMS) =>
    treeChanges(TYPE, items, rows(text), titleOf).map(
      ({ resource: { id }, parent, weight }) => `${id} ${parent || '-'} ${weight}`,
    );

  it('are none without a move', () => {
    expect(changes('a b >c >d e')).toEqual([]);
    expect(changes('a b c', [link('a', 0), link('b', 0), link('c', 0)])).toEqual([]);
  });

  it('are those of the entities that need another weight or parent', () => {
    expect(changes('b >c >d a e')).toHaveLength(1);
    expect(changes('a b >c >d >e')).toEqual(['e b 6']);
    expect(changes('a b >d >c e')).toHaveLength(1);
    expect(changes('a c b >d e')).toEqual(['c - 1', 'b - 2']);
    expect(changes('e a b >c >d')).toEqual(['e - -1']);
  });

  it('have only changed values, and the revision', () => {
    const [change] = treeChanges(TYPE, ITEMS, rows('a b >c >d >e'), titleOf);
    expect(operationOf(TYPE, change!, true)).toEqual({
      op: 'update',
      data: { type: MENU.name, id: 'e', attributes: { weight: 6, parent: 'b' } },
      meta: { ifMatch: 'r-e' },
    });
  });

  it('lead to the rows, whatever moves were made', () => {
    const move = fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.constantFrom('up', 'down', 'in', 'out'),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const after = moves.reduce((all, [id, to]) => moveBy(all, id, to as Move), TREE);
        const all = treeChanges(TYPE, ITEMS, after, titleOf);
        const items = ITEMS.map((item) => {
          const change = all.find(({ resource }) => resource.id === item.id);
          return change ? link(item.id, change.weight, change.parent) : item;
        });
        expect(written(rowsOf(TYPE, items, titleOf))).toBe(written(after));
      }),
    );
  });
});
