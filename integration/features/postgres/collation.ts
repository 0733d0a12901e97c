import { sql } from 'kysely';
import { type Database, rowsOf } from './database.ts';

/** An order of strings that PostgreSQL computes with ICU, like `Intl.Collator` for a language. */
export interface Collation {
  readonly name: string;
  /** That of the rules of ICU. Indexes of another one are wrong. */
  readonly version: string;
}

/** Creates the collation of a locale in a schema, unless it is there in the present version of ICU. */
export async function prepareCollation(db: Database, schema: string, locale: string): Promise<Collation> {
  const name = icuLocale(locale);
  const find = async () => {
    const [found] = await rowsOf(
      db,
      sql<{ version: string; actual: string }>`select coalesce(collversion, '') as version,
        coalesce(pg_collation_actual_version(c.oid), '') as actual from pg_collation c
        join pg_namespace n on n.oid = collnamespace where nspname = ${schema} and collname = ${name}`,
    );
    return found;
  };
  const found = await find();
  if (found !== undefined) {
    if (found.version === found.actual) return { name, version: found.version };
    // Tables use the old one until they are dropped.
    await sql.raw(`ALTER COLLATION "${schema}"."${name}" RENAME TO "${name} (${found.version})"`).execute(db);
  }
  await checkIcu(db);
  await sql
    .raw(`CREATE COLLATION "${schema}"."${name}" (provider = icu, locale = '${name}', deterministic = false)`)
    .execute(db);
  return { name, version: (await find())!.version };
}

/** Drops the collations of a schema that are not in use any more. */
export async function dropCollations(db: Database, schema: string, used: Collation): Promise<void> {
  const others = await rowsOf(
    db,
    sql<{ name: string }>`select quote_ident(collname) as name from pg_collation
      join pg_namespace n on n.oid = collnamespace where nspname = ${schema} and collname <> ${used.name}`,
  );
  for (const { name } of others) await sql.raw(`DROP COLLATION "${schema}".${name}`).execute(db);
}

/**
 * The locale of ICU that compares like the collator of the index in memory: at level 2, which ignores case, and with
 * normalization, which V8 always has. V8 falls back to another language if it does not have one.
 */
function icuLocale(locale: string): string {
  const resolved = new Intl.Collator(locale).resolvedOptions().locale;
  return `${resolved}${resolved.includes('-u-') ? '' : '-u'}-kk-true-ks-level2`;
}

async function checkIcu(db: Database): Promise<void> {
  const collations = await rowsOf(db, sql`select from pg_collation where collprovider = 'i' limit 1`);
  if (collations.length > 0) return;
  throw new Error(
    'The PostgreSQL server was built without ICU, which sorts strings. Use a server with ICU, such as the packages and images of PostgreSQL have.',
  );
}
