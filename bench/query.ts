/**
 * The speed of queries: our engine, SQLite in memory, LokiJS, sift and mingo over the same generated content, in
 * the same run, as an anonymous user. Timed: from a prepared query (our AST, a prepared statement, a compiled
 * filter) to the ids of the page in order and the exact count. Every result is compared before the measurement. npm
 * run bench -- [--sizes 10000,100000] [--quick]
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FilterNode } from '../integration/core/engine/ast.ts';
import { createQueryEngine } from '../integration/core/engine/create-engine.ts';
import type { QueryAccess, QueryEngine } from '../integration/core/engine/engine.ts';
import { DEFAULT_LIMITS } from '../integration/core/engine/limits.ts';
import { parseQuery } from '../integration/core/engine/parse/parse-query.ts';
import { createEntityStore } from '../integration/core/engine/store/entity-store.ts';
import { ARTICLE_TYPE, type Content, entitiesOf, generate, PERSON_TYPE, TAG_TYPE } from './data.ts';
import { medianTimes } from './measure.ts';
import { type Answer, lokiPeer, mingoPeer, type Peer, plainRows, siftPeer, sqlitePeer } from './peers.ts';
import { QUESTIONS, type Question } from './questions.ts';
import { printRequests, printRequirements, printTable, type RequestTiming, type Timing } from './report.ts';

const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };
const ANONYMOUS: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };
const PAGING = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const { sizes, quick } = options(process.argv.slice(2));
console.log(
  `Node ${process.version}, SQLite ${process.versions.sqlite}, ${process.platform} ${process.arch}`,
);
const timings = sizes.flatMap((size) => benchmark(size, quick));
printRequirements(timings);

function benchmark(size: number, short: boolean): readonly Timing[] {
  const content = generate(size);
  const plain = plainRows(content);
  const engine = loadedEngine(content);
  const peers: readonly Peer[] = [
    ours(engine, content),
    sqlitePeer(content),
    lokiPeer(content, plain),
    siftPeer(content, plain),
    mingoPeer(content, plain),
  ];
  const some = QUESTIONS.map((question): Timing => {
    const variants = question.variants(content);
    const runs = peers.map((peer) => variants.map((parameters) => peer.prepare(question, parameters)));
    const count = agreedCount(question, peers, runs);
    const times = medianTimes(
      runs.map((each) => () => {
        for (const run of each) run();
      }),
      short,
    );
    const perQuery = times.map((time) => time / variants.length);
    return {
      size,
      question: question.name,
      count,
      times: new Map(peers.map(({ name }, at) => [name, perQuery[at] ?? 0])),
    };
  });
  printTable(size, some);
  printRequests(QUESTIONS.map((question) => requestTimes(question, content, engine, short)));
  return some;
}

/** Our engine with every index that the questions need. Their size in memory is printed. */
function loadedEngine(content: Content): QueryEngine {
  const entities = [...entitiesOf(content)];
  const before = memory();
  const started = performance.now();
  const store = createEntityStore({ locale: 'en' });
  store.load([ARTICLE_TYPE, PERSON_TYPE, TAG_TYPE], entities);
  const engine = createQueryEngine(store);
  const loaded = performance.now();
  for (const question of QUESTIONS) {
    for (const parameters of question.variants(content)) ask(engine, question, parameters, content)();
  }
  const asked = performance.now();
  const megabytes = ((memory() - before) / 2 ** 20).toFixed(1);
  console.log(
    `\n${content.articles.length} articles: index of every path asked ${megabytes} MB (entities apart); ` +
      `loaded in ${(loaded - started).toFixed(0)} ms, first answers to all questions ${(asked - loaded).toFixed(0)} ms`,
  );
  return engine;
}

function ours(engine: QueryEngine, content: Content): Peer {
  return {
    name: 'astro-jsonapi',
    prepare: (question, parameters) => ask(engine, question, parameters, content),
  };
}

function ask(
  engine: QueryEngine,
  question: Question,
  parameters: Parameters<Peer['prepare']>[1],
  content: Content,
): () => Answer {
  const { filter, sort } = parseQuery(question.filter(...parameters), 'collection', PAGING);
  const query = { filter, sort, page: question.page(content) };
  return () => {
    const answer = engine.run(ARTICLE_TYPE, query, ANONYMOUS);
    if (answer instanceof Promise) throw new Error('The engine in memory returns results synchronously.');
    return { ids: answer.entities.map(({ id }) => id), count: answer.count };
  };
}

/** Mean number of matches over the variants; throws if two peers differ. */
function agreedCount(
  question: Question,
  peers: readonly Peer[],
  runs: readonly (readonly (() => Answer)[])[],
): number {
  const [first = [], ...others] = runs.map((each) => each.map((run) => run()));
  others.forEach((answers, at) => {
    answers.forEach((answer, variant) => {
      const reference = first[variant];
      if (reference && answer.count === reference.count && answer.ids.join() === reference.ids.join()) return;
      throw new Error(
        `${question.name}, variant ${variant}: ${peers[at + 1]?.name} answers ${answer.count} ${answer.ids.slice(0, 5)}, ` +
          `we answer ${reference?.count} ${reference?.ids.slice(0, 5)}.`,
      );
    });
  });
  return Math.round(first.reduce((sum, { count }) => sum + count, 0) / first.length);
}

/** The cost of an unprepared request: parsing the query string alone, and from it to the result. */
function requestTimes(
  question: Question,
  content: Content,
  engine: QueryEngine,
  short: boolean,
): RequestTiming {
  const texts = question.variants(content).map((parameters) => question.filter(...parameters));
  const page = question.page(content);
  const parse = (text: string) => parseQuery(text, 'collection', PAGING);
  const [parsing = 0, whole = 0] = medianTimes(
    [
      () => texts.forEach(parse),
      () => {
        for (const text of texts) engine.run(ARTICLE_TYPE, { ...parse(text), page }, ANONYMOUS);
      },
    ],
    short,
  );
  return { question: question.name, parsing: parsing / texts.length, whole: whole / texts.length };
}

/** Bytes in use after a garbage collection, including typed arrays. */
function memory(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function options(args: readonly string[]): { readonly sizes: readonly number[]; readonly quick: boolean } {
  const at = args.indexOf('--sizes');
  const sizesGiven = at < 0 ? '10000,100000' : (args[at + 1] ?? '');
  const parsed = sizesGiven.split(',').map(Number);
  if (parsed.some((size) => !Number.isInteger(size) || size < 1000 || size > 1_000_000)) {
    throw new Error(
      `--sizes takes whole numbers from 1000 to 1000000, such as 10000,100000, not '${sizesGiven}'.`,
    );
  }
  return { sizes: parsed, quick: args.includes('--quick') };
}
