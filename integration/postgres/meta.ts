import { sql } from 'kysely';
import type { FieldDefinition, ResourceType } from '../content/model.ts';
import { splitResourceType } from '../content/resource-type.ts';
import { type Database, rowsOf } from './database.ts';

/** What the tables contain. */
export interface Meta {
  /** Grows by one with every change. */
  readonly version: number;
  readonly revision: string;
  readonly locale: string;
  /** The version of ICU that has sorted the strings. */
  readonly icu: string;
  readonly lastRow: number;
  readonly lastReference: number;
  readonly types: readonly StoredType[];
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

/** With its schema, because PostgreSQL would use another one if the user has no right to it. */
export const metaTables = (schema: string): readonly string[] => [
  `CREATE TABLE "${schema}".meta (version bigint, revision text, locale text, icu text, last_row bigint, last_reference bigint, types text)`,
  'CREATE TABLE revisions (revision text COLLATE "C" PRIMARY KEY)',
  `INSERT INTO meta VALUES (0, '', '', '', 0, 0, '[]')`,
];

export async function readMeta(db: Database): Promise<Meta> {
  const [meta] = await rowsOf(
    db,
    sql<
      Omit<Meta, 'types'> & { types: string }
    >`select version, revision, locale, icu, last_row as "lastRow", last_reference as "lastReference", types from meta`,
  );
  const types: (Omit<StoredType, 'type'> & Pick<ResourceType, 'origin'> & { type: FieldDefinition[] })[] =
    JSON.parse(meta!.types);
  return {
    ...meta!,
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
