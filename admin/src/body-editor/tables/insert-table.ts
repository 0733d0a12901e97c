import type { StateCommand } from '@codemirror/state';
import { toolsText } from '../../texts/tools.ts';
import { insertBlock } from '../commands.ts';
import { newTable } from './table-text.ts';

/** Inserts a table, and selects its first cell. `rows` includes the header. */
export function insertTable(columns: number, rows: number): StateCommand {
  const header = Array.from({ length: columns }, (_, at) => toolsText('body.column', { number: at + 1 }));
  return insertBlock(newTable(header, rows - 1), { from: 2, to: 2 + header[0]!.length });
}
