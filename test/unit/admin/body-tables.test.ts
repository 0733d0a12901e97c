import { satteri } from '@astrojs/markdown-satteri';
import { beforeAll, describe, expect, it } from 'vitest';
import * as tables from '../../../admin/src/body-editor/tables/table-text.ts';
import { createRandom } from '../../support/random.ts';
import { seed } from '../../support/seed.ts';

const ROUNDS = 400;
const STEPS = 6;

function read(text: string): tables.Table {
  const table = tables.readTable(text);
  if ('brokenLine' in table) throw new Error(`Line ${table.brokenLine} of this table is broken:\n${text}`);
  return table;
}

function edit(text: string, changesOf: (table: tables.Table) => readonly tables.Change[]): string {
  return tables.applyChanges(text, changesOf(read(text)));
}

const ALIGNED = '| Place  | Metres |\n| ------ | -----: |\n| Dover  | 6.7    |\n| Calais | 7      |';
const BARE = 'a | b\n--- | ---\nc | d';
const COMPACT = '|a|b|\n|-|-|\n|c||';

describe('a change of a table', () => {
  it.each<[string, string, (table: tables.Table) => readonly tables.Change[], string]>([
    [
      'writes a cell into its line only',
      ALIGNED,
      (table) => tables.setCell(table, { row: 1, column: 0 }, 'Deal'),
      ALIGNED.replace('Dover', 'Deal'),
    ],
    [
      'escapes pipes and line breaks',
      BARE,
      (table) => tables.setCell(table, { row: 1, column: 1 }, 'x|y \\| `z|`\nw'),
      'a | b\n--- | ---\nc | x\\|y \\| `z\\|`<br />w',
    ],
    [
      'fills an empty cell',
      '| a | b |\n|--|--|\n|  | |',
      (table) => tables.setCell(table, { row: 1, column: 1 }, 'x'),
      '| a | b |\n|--|--|\n|  | x |',
    ],
    [
      'fills a cell without spaces',
      COMPACT,
      (table) => tables.setCell(table, { row: 1, column: 1 }, 'x'),
      '|a|b|\n|-|-|\n|c|x|',
    ],
    [
      'keeps a backslash away from the pipe',
      COMPACT,
      (table) => tables.setCell(table, { row: 1, column: 0 }, 'x\\'),
      '|a|b|\n|-|-|\n|x\\ ||',
    ],
    [
      'adds the pipes that a row needs',
      BARE,
      (table) => tables.setCell(table, { row: 1, column: 0 }, '# c'),
      'a | b\n--- | ---\n| # c | d',
    ],
    [
      'adds the pipe after an empty cell',
      BARE,
      (table) => tables.setCell(table, { row: 1, column: 1 }, ''),
      'a | b\n--- | ---\nc |  |',
    ],
    [
      'adds a row that is as wide as the others',
      ALIGNED,
      (table) => tables.insertRow(table, 2),
      ALIGNED.replace('|\n| Calais', '|\n|        |        |\n| Calais'),
    ],
    ['adds a row with pipes', BARE, (table) => tables.insertRow(table, 2), `${BARE}\n|  |  |`],
    [
      'keeps the line endings of mixed texts',
      '| a |\r\n| - |\r',
      (table) => tables.insertRow(table, 1),
      '| a |\r\n| - |\r\n|   |\r',
    ],
    [
      'removes a row',
      ALIGNED,
      (table) => tables.removeRow(table, 1),
      ALIGNED.replace('| Dover  | 6.7    |\n', ''),
    ],
    ['keeps the header', ALIGNED, (table) => tables.removeRow(table, 0), ALIGNED],
    ['makes the first row the header', BARE, (table) => tables.swapRows(table, 0), 'c | d\n--- | ---\na | b'],
    [
      'adds a column',
      ALIGNED,
      (table) => tables.insertColumn(table, 1),
      '| Place  |  | Metres |\n| ------ | --- | -----: |\n| Dover  |  | 6.7    |\n| Calais |  | 7      |',
    ],
    [
      'adds a first column',
      BARE,
      (table) => tables.insertColumn(table, 0),
      '|   |a | b |\n|  --- |--- | --- |\n|   |c | d |',
    ],
    [
      'adds a last column',
      BARE,
      (table) => tables.insertColumn(table, 2),
      '| a | b |  |\n| --- | --- | --- |\n| c | d |  |',
    ],
    [
      'adds a column without spaces',
      COMPACT,
      (table) => tables.insertColumn(table, 2),
      '|a|b|  |\n|-|-|---|\n|c||  |',
    ],
    ['removes a column', COMPACT, (table) => tables.removeColumn(table, 0), '|b|\n|-|\n||'],
    ['removes the last column', BARE, (table) => tables.removeColumn(table, 1), '| a  |\n| ---  |\n| c  |'],
    [
      'moves a column',
      ALIGNED,
      (table) => tables.swapColumns(table, 0),
      '| Metres | Place  |\n| -----: | ------ |\n| 6.7    | Dover  |\n| 7      | Calais |',
    ],
    [
      'aligns a column in the width that it has',
      ALIGNED,
      (table) => tables.setSide(table, 0, 'center'),
      ALIGNED.replace('------', ':----:'),
    ],
    ['aligns a narrow column', COMPACT, (table) => tables.setSide(table, 1, 'right'), '|a|b|\n|-|--:|\n|c||'],
  ])('%s', (_, before, changes, after) => {
    expect(edit(before, changes)).toBe(after);
  });

  it('finds rows whose number of cells differs from the header', () => {
    expect(tables.readTable('| a | b |\n| - | - |\n| c | d |\n| e |')).toEqual({ brokenLine: 4 });
    expect(tables.readTable('| a | b |\n| - | - |\n| c | d | e |')).toEqual({ brokenLine: 3 });
  });

  it('makes a new table', () => {
    expect(tables.newTable(['a|b', 'c'], 2)).toBe('| a\\|b | c |\n| --- | --- |\n|  |  |\n|  |  |');
  });
});

describe(`random tables, FC_SEED=${seed}`, () => {
  let render: (markdown: string) => Promise<string>;
  beforeAll(async () => {
    const renderer = await satteri().createRenderer({ syntaxHighlight: false });
    render = async (markdown) => (await renderer.render(markdown)).code;
  });

  it('are after random changes what the Markdown of the site makes of their cells, and keep all other lines', async () => {
    const random = createRandom(Number(seed));
    for (let round = 0; round < ROUNDS; round++) {
      const model = randomModel(random);
      let text = written(model, random);
      expect(await render(text)).toBe(await render(written(model)));
      for (let step = 0; step < STEPS; step++) {
        const before = text;
        const operation = pick(random, OPERATIONS);
        const touched = operation(model, random, (changes) => (text = edit(before, changes)));
        const context = `${operation.name}\n${before}\n→\n${text}`;
        expect(await render(text), context).toBe(await render(written(model)));
        if (touched === 'all') continue;
        const [old, present] = [before.split('\n'), text.split('\n')];
        expect(
          present.filter((line) => !old.includes(line)).length,
          `lines that ${context} changes`,
        ).toBeLessThanOrEqual(touched);
      }
    }
  });
});

interface Model {
  readonly rows: string[][];
  readonly sides: tables.Side[];
}
type Random = () => number;
/** Changes the model and the text. Returns how many lines may be new. */
type Operation = (
  model: Model,
  random: Random,
  apply: (changes: (table: tables.Table) => readonly tables.Change[]) => void,
) => number | 'all';

const SIDES: readonly tables.Side[] = ['none', 'left', 'center', 'right'];
const PIECES = [
  'a',
  'Tide',
  '|',
  '\\',
  '\\|',
  '`',
  '*',
  '**',
  '~~',
  '#',
  '-',
  '1.',
  '>',
  'é',
  '月',
  ' ',
  '[x](/y)',
  '<br />',
  '&amp;',
  '_',
];

const OPERATIONS: readonly Operation[] = [
  function writeCell({ rows }, random, apply) {
    const [row, column] = [index(random, rows.length), index(random, rows[0]!.length)];
    const text = randomCell(random);
    rows[row]![column] = text;
    apply((table) => tables.setCell(table, { row, column }, text));
    return 1;
  },
  function addRow({ rows }, random, apply) {
    const at = 1 + index(random, rows.length);
    rows.splice(
      at,
      0,
      rows[0]!.map(() => ''),
    );
    apply((table) => tables.insertRow(table, at));
    return 1;
  },
  function removeRow({ rows }, random, apply) {
    const at = 1 + index(random, rows.length);
    rows.splice(at, 1);
    apply((table) => tables.removeRow(table, at));
    return 0;
  },
  function moveRow({ rows }, random, apply) {
    const at = index(random, rows.length);
    if (at + 1 < rows.length) rows.splice(at, 2, rows[at + 1]!, rows[at]!);
    apply((table) => tables.swapRows(table, at));
    return 0;
  },
  function addColumn({ rows, sides }, random, apply) {
    const at = index(random, sides.length + 1);
    for (const row of rows) row.splice(at, 0, '');
    sides.splice(at, 0, 'none');
    apply((table) => tables.insertColumn(table, at));
    return 'all';
  },
  function removeColumn({ rows, sides }, random, apply) {
    const at = index(random, sides.length);
    if (sides.length > 1) for (const row of [...rows, sides]) row.splice(at, 1);
    apply((table) => tables.removeColumn(table, at));
    return 'all';
  },
  function moveColumn({ rows, sides }, random, apply) {
    const at = index(random, sides.length);
    if (at + 1 < sides.length) {
      for (const row of [...rows, sides] as string[][]) row.splice(at, 2, row[at + 1]!, row[at]!);
    }
    apply((table) => tables.swapColumns(table, at));
    return 'all';
  },
  function align({ sides }, random, apply) {
    const at = index(random, sides.length);
    sides[at] = pick(random, SIDES);
    apply((table) => tables.setSide(table, at, sides[at]!));
    return 1;
  },
];

function randomModel(random: Random): Model {
  const columns = 1 + index(random, 4);
  const cells = (): string[] => Array.from({ length: columns }, () => randomCell(random));
  return {
    rows: Array.from({ length: 1 + index(random, 4) }, cells),
    sides: Array.from({ length: columns }, () => pick(random, SIDES)),
  };
}

function randomCell(random: Random): string {
  return Array.from({ length: index(random, 5) }, () => pick(random, PIECES))
    .join('')
    .trim();
}

/** The table with one space around each cell, or in a random style. */
function written({ rows, sides }: Model, random?: Random): string {
  const isBare = random !== undefined && random() < 0.3;
  const pad = (cell: string): string => {
    if (random === undefined) return ` ${cell} `;
    const spaces = () => ' '.repeat(index(random, 3));
    return `${spaces()}${cell}${cell.endsWith('\\') ? ' ' : spaces()}`;
  };
  const line = (cells: readonly string[], isOpen: boolean): string => {
    const content = cells.map(pad).join('|');
    return isOpen ? `|${content}|` : content.trim();
  };
  const dashes = sides.map((side) => {
    const count = random === undefined ? 3 : 3 + index(random, 4);
    const core = '-'.repeat(count);
    return { none: core, left: `:${core}`, center: `:${core}:`, right: `${core}:` }[side];
  });
  const [header, ...body] = rows.map((cells) => cells.map(tables.cellText));
  const isPlain = (cells: readonly string[]): boolean =>
    cells.length > 1 && /^\p{L}/u.test(cells[0]!) && cells.at(-1) !== '' && !cells.at(-1)!.endsWith('\\');
  return [
    line(header!, !(isBare && isPlain(header!))),
    line(dashes, !(isBare && sides.length > 1)),
    ...body.map((cells) => line(cells, !(isBare && isPlain(cells)))),
  ].join('\n');
}

function index(random: Random, length: number): number {
  return Math.floor(random() * length);
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[index(random, values.length)]!;
}
