import { sql } from 'kysely';
import type { Sql } from './database.ts';

/** True for a row that a search finds. */
export function isAmong(row: Sql, parameter: RowsParameter): Sql {
  const { first, last, isList } = parameter;
  if (first === undefined || last === undefined) return sql`false`;
  if (isList) return sql`${row} = any(${parameter}::bigint[])`;
  return sql`case when ${row} between ${first} and ${last} then get_bit(${parameter}::bytea, ${row} - ${first}) = 1 else false end`;
}

/** Rows as a parameter of statements: a few are a list, and others have a bit each. Equal keys of statements mean equal rows. */
export class RowsParameter {
  static #last = 0;
  readonly #number = ++RowsParameter.#last;
  /** Ascending. */
  readonly #rows: Float64Array;
  constructor(rows: Float64Array) {
    this.#rows = rows;
  }
  get first(): number | undefined {
    return this.#rows[0];
  }
  get last(): number | undefined {
    return this.#rows.at(-1);
  }
  get isList(): boolean {
    return this.#rows.length <= MAX_LISTED;
  }
  /** Called by `pg`. */
  toPostgres(): string | Buffer {
    if (this.isList) return `{${this.#rows.join()}}`;
    const first = this.first!;
    const bits = Buffer.alloc(Math.floor((this.last! - first) / 8) + 1);
    for (const row of this.#rows) bits[Math.floor((row - first) / 8)]! |= 1 << ((row - first) % 8);
    return bits;
  }
  toJSON(): string {
    return `rows ${this.#number}`;
  }
}

const MAX_LISTED = 1000;

export const NO_ROWS = new RowsParameter(new Float64Array());
