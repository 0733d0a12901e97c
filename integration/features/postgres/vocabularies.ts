import { sql } from 'kysely';
import { Vocabulary } from '../../core/engine/text/vocabulary.ts';
import { type Database, rowsOf } from './database.ts';
import type { TypeLayout } from './layout.ts';
import { fromStored } from './text.ts';

/** The terms of tables of words by name. They are read once: later reads add those that are new. */
export type Vocabularies = Map<string, { readonly vocabulary: Vocabulary; last: number }>;

/** Terms are never removed, so the vocabulary also fits earlier states of the table. */
export async function readVocabulary(
  db: Database,
  { termTable }: TypeLayout,
  vocabularies: Vocabularies,
): Promise<Vocabulary> {
  const known = vocabularies.get(termTable) ?? { vocabulary: new Vocabulary(), last: 0 };
  vocabularies.set(termTable, known);
  const added = await rowsOf(
    db,
    sql<{
      no: number;
      term: string;
    }>`select no, term from ${sql.table(termTable)} where no > ${known.last} order by no`,
  );
  for (const { no, term } of added) {
    known.vocabulary.add(fromStored(term));
    known.last = Math.max(known.last, no);
  }
  return known.vocabulary;
}
