/**
 * The speed of facets: five facets over the articles that match a filter, as an anonymous user, compared with five
 * `GROUP BY` queries of SQLite in memory with covering indexes, in the same run. All counts are compared before the
 * measurement. npm run bench:facets -- [number of articles]
 */
import { loadavg } from 'node:os';
import type { FilterNode } from '../integration/core/engine/ast.ts';
import { createQueryEngine } from '../integration/core/engine/create-engine.ts';
import type { FacetTerm, QueryAccess } from '../integration/core/engine/engine.ts';
import { DEFAULT_LIMITS } from '../integration/core/engine/limits.ts';
import { parseQuery } from '../integration/core/engine/parse/parse-query.ts';
import { createEntityStore } from '../integration/core/engine/store/entity-store.ts';
import { ARTICLE_TYPE, entitiesOf, generate, PERSON_TYPE, TAG_TYPE } from './data.ts';
import { medianTimes } from './measure.ts';
import { openDatabase } from './peers.ts';

const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };
const ANONYMOUS: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };
const PAGING = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
const ARTICLES = Number(process.argv[2] ?? 100_000);
const RATINGS = [2, 5, 8];

const FACETS = [
  'facetBy[field_section]=',
  'facetBy[field_state]=',
  'facetBy[field_rating][sort]=value',
  'facetBy[field_tags][limit]=20',
  'facetBy[field_date][interval]=year',
];
const MATCHING = 'FROM article WHERE status = 1 AND rating >= ?';
const STATEMENTS = [
  `SELECT section, count(*) ${MATCHING} GROUP BY section ORDER BY count(*) DESC, section`,
  `SELECT state, count(*) ${MATCHING} GROUP BY state ORDER BY count(*) DESC, state`,
  `SELECT rating, count(*) ${MATCHING} GROUP BY rating ORDER BY rating`,
  `SELECT tag.id, count(*) FROM article
     JOIN article_tag ON article_tag.article = article.pk JOIN tag ON tag.pk = article_tag.tag
     WHERE article.status = 1 AND article.rating >= ? AND tag.status = 1
     GROUP BY tag.pk ORDER BY count(*) DESC, tag.id LIMIT 20`,
  `SELECT strftime('%Y', date / 1000, 'unixepoch') AS year, count(*) ${MATCHING} AND date IS NOT NULL
     GROUP BY year ORDER BY year`,
];

const content = generate(ARTICLES);
const store = createEntityStore({ locale: 'en' });
store.load([ARTICLE_TYPE, PERSON_TYPE, TAG_TYPE], [...entitiesOf(content)]);
const engine = createQueryEngine(store);
const database = openDatabase(content);
database.exec(`
  CREATE INDEX facet_section ON article (status, rating, section);
  CREATE INDEX facet_state ON article (status, rating, state);
  CREATE INDEX facet_date ON article (status, rating, date);
  ANALYZE`);
const prepared = STATEMENTS.map((sql) => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
});

const queries = RATINGS.map((rating) => {
  const { filter, facets } = parseQuery(
    `filter[field_rating][operator]=%3E%3D&filter[field_rating][value]=${rating}&${FACETS.join('&')}`,
    'collection',
    PAGING,
  );
  return { filter, sort: [], page: { offset: 0, limit: 0 }, facets };
});
const ours = () => queries.map((query) => engine.run(ARTICLE_TYPE, query, ANONYMOUS));
const theirs = () => RATINGS.map((rating) => prepared.map((statement) => statement.all(rating)));

const answers = ours();
const counted = answers.map(({ facets = [] }) => facets.map(({ terms }) => terms.map(pairOf)));
if (JSON.stringify(counted) !== JSON.stringify(theirs())) throw new Error('SQLite counts something else.');

const [own = 0, sqlite = 0] = medianTimes([ours, theirs], false).map((time) => time / RATINGS.length);
const matches = answers.map(({ count }) => count).join(', ');
console.log(`Node ${process.version}, SQLite ${process.versions.sqlite}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(`${FACETS.length} facets over ${ARTICLES} articles, of which ${matches} match the filters`);
console.log(
  `astro-jsonapi ${own.toFixed(2)} ms, SQLite ${sqlite.toFixed(2)} ms: ${(sqlite / own).toFixed(1)} times as fast`,
);

function pairOf(term: FacetTerm): readonly unknown[] {
  return 'value' in term ? [term.value, term.count] : [term.from, term.count];
}
