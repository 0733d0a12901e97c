import { sql } from 'kysely';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { splitResourceType } from '../../core/content/resource-type.ts';
import { type Database, rowsOf } from './database.ts';

/** What the tables contain. */
export interface Meta {
  /** Grows by one with every change. It repeats after the tables are restored or made again. */
  readonly version: number;
  /** Identifies this state of the tables: random, and a new one for every change. */
  readonly stamp: string;
  readonly revision: string;
  readonly locale: string;
  /** That of the collation that has sorted the strings. */
  readonly collationVersion: string;
  readonly lastChange: LastChange;
  readonly lastRow: number;
  readonly lastReference: number;
  readonly types: readonly StoredType[];
}

/** The difference from the state before. */
export interface LastChange {
  /** The stamp of the state before; undefined after tables were created. */
  readonly from?: string;
  /** Undefined if there are many. */
  readonly changed?: readonly (readonly [type: string, id: string])[];
}

export interface StoredType {
  readonly name: string;
  readonly type: ResourceType;
  /** Equal for equal tables. */
  readonly signature: string;
  /** The end of the names of the tables. */
  readonly suffix: string;
  readonly hasTranslations: boolean;
}

/** A column that the tables of older versions of this package do not have. */
export const NEWEST_COLUMN = 'collation_version';

/** With its schema, because PostgreSQL would use another one if the user has no right to it. */
export const metaTables = (schema: string): readonly string[] => [
  `CREATE TABLE "${schema}".meta (version bigint, stamp uuid DEFAULT gen_random_uuid(), last_change text, revision text, locale text, ${NEWEST_COLUMN} text, last_row bigint, last_reference bigint, types text)`,
  'CREATE TABLE revisions (revision text COLLATE "C" PRIMARY KEY)',
  `INSERT INTO meta (version, last_change, revision, locale, ${NEWEST_COLUMN}, last_row, last_reference, types) VALUES (0, '{}', '', '', '', 0, 0, '[]')`,
];

export async function readMeta(db: Database): Promise<Meta> {
  const [meta] = await rowsOf(
    db,
    sql<
      Omit<Meta, 'types' | 'lastChange'> & { types: string; lastChange: string }
    >`select version, stamp, revision, locale, collation_version as "collationVersion", last_change as "lastChange", last_row as "lastRow", last_reference as "lastReference", types from ${sql.table('meta')}`,
  );
  const types: (Omit<StoredType, 'type'> & Pick<ResourceType, 'origin'> & { type: FieldDefinition[] })[] =
    JSON.parse(meta!.types);
  return {
    ...meta!,
    lastChange: JSON.parse(meta!.lastChange),
    types: types.map(({ type, origin, ...rest }) => ({
      ...rest,
      type: {
        name: rest.name,
        ...splitResourceType(rest.name),
        origin,
        fields: new Map(type.map((field) => [field.name, field])),
      },
    })),
  };
}

export function encodeTypes(types: readonly StoredType[]): string {
  return JSON.stringify(
    types.map(({ type, ...rest }) => ({ ...rest, origin: type.origin, type: [...type.fields.values()] })),
  );
}
