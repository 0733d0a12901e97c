import lunr from 'lunr';
import { ANONYMOUS } from '../integration/core/access/actor.ts';
import { createPolicy } from '../integration/core/access/policy.ts';
import { createCollector } from '../integration/core/content/collect.ts';
import { bodyText, type Entity } from '../integration/core/content/model.ts';
import { createSlicedEngine } from '../integration/core/engine/create-engine.ts';
import type { EngineQuery } from '../integration/core/engine/engine.ts';
import { createEntityStore } from '../integration/core/engine/store/entity-store.ts';
import { createFullText } from '../integration/core/engine/text/full-text.ts';
import { readFullText, writeFullText } from '../integration/core/engine/text/serialized.ts';
import { createBody } from '../test/support/body.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';

/**
 * The time of searches, and of edits before them, over files of 4 kB; plain lunr over the same texts for
 * comparison.
 */
const FILES = Number(process.argv[2] ?? 5000);
const ROUNDS = 50;

const TYPE = 'node--note';
const words = vocabulary(30_000);
let seed = 1;

const collector = createCollector({
  driver: createMemoryDriver(
    Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`note/n${i}.md`, file(i)])),
  ),
  options: { published: {}, danglingReferences: 'error', defaultLangcode: 'en' },
});
const { types, entities } = await collector.load();
const store = createEntityStore({ locale: 'en' });
store.load(types, entities);
const type = store.types.get(TYPE)!;
const access = createPolicy(store, { now: Date.now })(ANONYMOUS);

globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const fullText = createFullText({ store, language: 'en' });
const engine = createSlicedEngine(store, fullText);
const search = (text: string) => engine.run(type, query(text), access);

const stalls = watchStalls();
const first = await timeOf(() => search('w1 w2'));
const stalled = stalls.stop();
globalThis.gc?.();
tell(
  `first search over ${FILES} files, including the index`,
  `${first} ms, others held up ${stalled} ms at most`,
);
tell('memory of the index', `${megabytes(process.memoryUsage().heapUsed - before)} MB`);
for (const text of ['w3', 'w3 w40', 'w1 w2 w5 -w9', 'w20000']) {
  const { count } = await search(text);
  tell(`search "${text}" (${count} found)`, `${await median(() => search(text))} ms`);
}

const edits: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const changed = edited(store.get(TYPE, `n${round * 7}`)!, `edited${round}`);
  const start = performance.now();
  store.put(changed);
  const { entities } = await search(`edited${round}`);
  edits.push(performance.now() - start);
  if (entities[0] !== changed) throw new Error(`The edit of ${changed.id} was not found.`);
}
edits.sort((a, b) => a - b);
tell(
  'edit of one file and a search that finds it',
  `median ${edits[ROUNDS >> 1]!.toFixed(1)} ms, slowest ${edits.at(-1)!.toFixed(1)} ms`,
);

const text = writeFullText(await fullText.serialize());
const carried = createSlicedEngine(
  store,
  createFullText({
    store,
    language: 'en',
    prebuilt: async () => readFullText(text) ?? null,
  }),
);
tell('the index as JSON', `${megabytes(text.length)} MB of ${megabytes(FILES * 4000)} MB`);
tell(
  'first search with a prebuilt index',
  `${await timeOf(() => carried.run(type, query('w1 w2'), access))} ms`,
);

globalThis.gc?.();
const beforePeer = process.memoryUsage().heapUsed;
let peer: lunr.Index | undefined;
const peerMs = await timeOf(() => {
  peer = lunr(function () {
    this.ref('id');
    this.field('title');
    this.field('body');
    for (const { id, values, body } of store.entities(TYPE))
      this.add({ id, title: values.title, body: bodyText(body!) });
  });
});
globalThis.gc?.();
tell("lunr's own index, built at once and again after each edit", `${peerMs} ms`);
tell("memory of lunr's own index", `${megabytes(process.memoryUsage().heapUsed - beforePeer)} MB`);
tell('lunr: search "+w3 +w40"', `${await median(() => peer!.search('+w3 +w40'))} ms`);

function query(text: string): EngineQuery {
  return {
    filter: { kind: 'group', conjunction: 'AND', members: [{ kind: 'search', text }] },
    sort: [],
    page: { offset: 0, limit: 50 },
  };
}

function edited(entity: Entity, word: string): Entity {
  return { ...entity, revision: word, body: createBody(`${bodyText(entity.body!)} ${word}`) };
}

/** The longest delay of a one-millisecond timer. */
function watchStalls(): { stop(): string } {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest.toFixed(0);
    },
  };
}

async function timeOf(run: () => unknown): Promise<string> {
  const start = performance.now();
  await run();
  return (performance.now() - start).toFixed(0);
}

async function median(run: () => unknown): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!.toFixed(2);
}

function tell(what: string, figure: string): void {
  console.log(`${what.padEnd(62)} ${figure}`);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** Words with natural frequencies: the second is half as frequent as the first, and so on. */
function file(number: number): Uint8Array {
  const text: string[] = [];
  for (let length = 0; length < 4000; ) {
    const word = words[Math.min(words.length - 1, Math.floor(Math.exp(random() * Math.log(words.length))))]!;
    text.push(word);
    length += word.length + 1;
  }
  return new TextEncoder().encode(
    `---\ntitle: Note ${number} ${text[0]} ${text[1]}\n---\n${text.join(' ')}\n`,
  );
}

function vocabulary(size: number): readonly string[] {
  return Array.from({ length: size }, (_, i) => `w${i}`);
}

function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
