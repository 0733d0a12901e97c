import { type RawBuilder, sql } from 'kysely';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { type ResolvedNode, searchesOf } from '../../core/engine/resolve/resolve-filter.ts';
import { B, K1, rarityOf } from '../../core/engine/text/score.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import type { SiteTerms } from '../../core/engine/text/words.ts';
import {
  type CompileContext,
  column,
  compileVisible,
  from,
  type Row,
  type SearchKey,
  searchKeys,
  table,
} from './compile.ts';
import { and, type Database, keyOf, rowsOf, type Sql } from './database.ts';
import { lengthColumn, type TypeLayout } from './layout.ts';
import type { State } from './state.ts';

/** The inputs of the scores of a query, in addition to the words of a row. */
export type Scoring = readonly {
  readonly isTolerant: boolean;
  readonly fields: readonly { readonly at: number; readonly boost: number; readonly average: number }[];
  /** By word and field. */
  readonly words: readonly (readonly ScoredKeys[])[];
}[];

/** The keys of a word in a field, and the rarity of the word itself and of those that are like it. */
interface ScoredKeys {
  readonly exact: { readonly keys: readonly SearchKey[]; readonly rarity: number };
  readonly like: { readonly keys: readonly SearchKey[]; readonly rarity: number };
}

/** Computed from the rows that the actor may see. */
export async function readScoring(
  layout: TypeLayout,
  filter: ResolvedNode,
  access: QueryAccess,
  state: State,
  db: Database,
  terms: SiteTerms,
): Promise<Scoring> {
  const names = searchableFields(layout.type).map(({ name }) => name);
  const read = async <T>(
    compile: (row: Row, context: CompileContext, visible: Sql) => RawBuilder<T>,
  ): Promise<T> => {
    const statement = await state.compile(db, access, terms, (context) => {
      const row: Row = { layout, alias: context.alias() };
      return compile(row, context, compileVisible(row, context, access.strict) ?? sql`true`);
    });
    const key = keyOf(statement, db);
    const known = state.statistics.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = rowsOf(db, statement).then(([row]) => row!);
    state.statistics.set(key, reading);
    reading.catch(() => state.statistics.delete(key));
    return reading;
  };
  const { visible, lengths } = await read((row, _, isVisible) =>
    compileLengths(names.length, row, isVisible),
  );
  return Promise.all(
    searchesOf(filter).map(async ({ words, fields }) => ({
      isTolerant: words.isTolerant === true,
      fields: fields.map(({ name, boost }) => {
        const at = names.indexOf(name);
        const [sum, rows] = lengths[at]!;
        return { at, boost, average: rows === 0 ? 1 : sum / rows };
      }),
      words: await Promise.all(
        words.required.map(async (word) => {
          const keys = await state.compile(db, access, terms, (context) =>
            fields.map((field) => searchKeys(word, [field], layout, context.termsOf(words, layout))),
          );
          const rated = async (some: readonly SearchKey[]) => {
            if (some.length === 0) return { keys: some, rarity: 0 };
            const { documents } = await read((row, _, isVisible) => compileDocuments(some, row, isVisible));
            return { keys: some, rarity: rarityOf(documents, visible) };
          };
          return Promise.all(
            keys.map(async (each): Promise<ScoredKeys> => {
              const [exact, like] = await Promise.all([
                rated(each.filter(({ weight }) => weight === 1)),
                rated(each.filter(({ weight }) => weight < 1)),
              ]);
              return { exact, like };
            }),
          );
        }),
      ),
    })),
  );
}

interface Lengths {
  readonly visible: number;
  /** By searchable field: the number of words, and of rows with words. */
  readonly lengths: readonly (readonly [words: number, rows: number])[];
}

function compileLengths(fields: number, row: Row, visible: Sql): RawBuilder<Lengths> {
  const words = 'w';
  const ofFields = Array.from({ length: fields }, (_, at) => {
    const length = sql`${sql.id(words, lengthColumn(at))}`;
    return sql`json_build_array(coalesce(sum(${length}), 0), count(*) filter (where ${length} > 0))`;
  });
  return sql`select count(*) as visible, json_build_array(${sql.join(ofFields)}) as lengths from ${from(row)}
    join ${table(row.layout.wordTable, words)} on ${sql.id(words)}.row = ${column(row, 'row')} where ${visible}`;
}

function compileDocuments(
  keys: readonly SearchKey[],
  row: Row,
  visible: Sql,
): RawBuilder<{ readonly documents: number }> {
  const found = sql`${column(row, 'row')} in (select row from ${sql.table(row.layout.wordTable)} where words ?| ${keys.map(({ key }) => key)}::text[])`;
  return sql`select count(*) as documents from ${from(row)} where ${and([visible, found])}`;
}

/**
 * The BM25 score of a row whose words are joined as `words`. It has the operations of `addScores` in their order, so that
 * the numbers are exactly the same.
 */
export function compileScore(scoring: Scoring, words: string): Sql {
  const number = (value: number) => sql`${value}::double precision`;
  const scores = scoring.flatMap(({ fields, words: searched, isTolerant }) =>
    searched.map((scored) => {
      if (isTolerant) return compileTolerantScore(fields, scored, words);
      const byField = fields.map(({ at, boost, average }, i) => {
        const { keys, rarity } = scored[i]!.exact;
        const weights = keys.map(({ key }) => {
          const stored = sql`${sql.id(words, 'words')} ->> ${key}`;
          const count = sql`replace(${stored}, 'true', '1')::double precision`;
          const length = sql`${sql.id(words, lengthColumn(at))}::double precision`;
          return sql`coalesce((${number(boost * (K1 + 1))} * ${count}) / (${number(K1)} * (${number(1 - B)} + (${number(B)} * ${length}) / ${number(average)}) + ${count}), 0)`;
        });
        return sql`${number(rarity)} * (${sum(weights)})`;
      });
      return sql`(${sum(byField)})`;
    }),
  );
  return sql`coalesce(${sum(scores)}, 0)`;
}

/** The same sum for many keys: the words of a row are read once, and an object has the numbers of the searched keys. */
function compileTolerantScore(
  fields: Scoring[number]['fields'],
  scored: readonly ScoredKeys[],
  words: string,
): Sql {
  const parts = scored.flatMap(({ exact, like }, i) => [
    { ...exact, field: i },
    { ...like, field: i },
  ]);
  const searched = parts.flatMap(({ keys, field }, part) =>
    keys.map(({ key, weight }) => ({ key, weight, part, field: field + 1, ...fields[field]! })),
  );
  const numbered = JSON.stringify(Object.fromEntries(searched.map(({ key }, i) => [key, i + 1])));
  const numberOf = (values: readonly number[]) => sql`(${values}::double precision[])[no]`;
  const field = sql`(${searched.map((each) => each.field)}::integer[])[no]`;
  const lengths = sql.join(fields.map(({ at }) => sql.id(words, lengthColumn(at))));
  const length = sql`(array[${lengths}]::double precision[])[${field}]`;
  const average = numberOf(searched.map((each) => each.average));
  const factor = numberOf(searched.map(({ boost }) => boost * (K1 + 1)));
  const score = sql`(${factor} * count) / (${K1}::double precision * (${1 - B}::double precision + (${B}::double precision * ${length}) / ${average}) + count)`;
  const part = sql`(${searched.map((each) => each.part)}::integer[])[no]`;
  const weighted = parts.map(({ keys, rarity }, at) =>
    keys.length === 0
      ? sql`0::double precision`
      : sql`${rarity}::double precision * coalesce(sum(${score} order by no) filter (where ${part} = ${sql.lit(at)}), 0)`,
  );
  const byField = scored.map((_, i) => sql`(${weighted[2 * i]!} + ${weighted[2 * i + 1]!})`);
  return sql`(select ${sum(byField)} from (
    select no, ${numberOf(searched.map(({ weight }) => weight))} * replace(value, 'true', '1')::double precision as count from (
      select (${numbered}::jsonb ->> key)::integer as no, value from jsonb_each_text(${sql.id(words, 'words')})
    ) w where no is not null
  ) c)`;
}

/** From the first to the last. */
function sum(terms: readonly Sql[]): Sql {
  return terms.length === 0
    ? sql`0::double precision`
    : terms.reduce((before, term) => sql`(${before} + ${term})`);
}
