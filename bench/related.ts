import { createContentApi } from '../integration/core/builder/index.ts';
import { createHandler } from '../test/support/handler.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';
import { makePages } from './pages.ts';

/**
 * The time of related entries: node bench/related.ts [entities] [folder of Markdown files]. Each entity has a title and some 60 words
 * from the files, and three of 500 tags; one in twenty is not published. Every request is new to the cache.
 */
const ENTITIES = Number(process.argv[2] ?? 100_000);
const REQUESTS = 300;
const TAGS = 500;

const { files: pages, words } = makePages(ENTITIES, process.argv[3]);
const files = Object.fromEntries(
  Object.entries(pages).map(([name, text], at) => {
    const tags = [1, 7, 31].map((step) => `tag-${Math.floor((at * step) / 3) % TAGS}`);
    return [name, text.replace('---\n', `---\ntags: [${tags.join(', ')}]\n`)];
  }),
);

const services = await createServices(createMemoryDriver(files));
const handle = createHandler(services);
const [type] = [...services.store.types.values()];
const idOf = (at: number) => services.store.entities(type!.name)[at]!.id;

async function related(id: string): Promise<number> {
  const url = `https://example.org/jsonapi/${type!.entityType}/${type!.bundle}?filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=${encodeURIComponent(id)}&page[limit]=5&fields[${type!.name}]=title`;
  const started = process.cpuUsage();
  const response = await handle(new Request(url));
  await response?.text();
  if (response?.status !== 200) return Number.NaN;
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

console.log(`${ENTITIES} entities, ${words} words: ms of CPU time of a request for five related entries`);
console.log(`first, with the index ${(await related(idOf(1))).toFixed(0)}`);
const times: number[] = [];
for (let i = 1; times.length < REQUESTS; i++) {
  const ms = await related(idOf(Math.floor((i * 7919) % ENTITIES)));
  if (!Number.isNaN(ms)) times.push(ms);
}
const firsts = times.slice(0, 10).map((ms) => ms.toFixed(1));
console.log(`the first ten, which count their words: ${firsts.join(', ')}`);
times.sort((a, b) => a - b);
const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
console.log(`median ${at(0.5)}, 95 % ${at(0.95)}, 99 % ${at(0.99)}, slowest ${at(1)} of ${times.length}`);
const { plan, count } = await createContentApi(services).entities(type!.name).relatedTo(idOf(1)).explain();
console.log(`${count} related entries of one:\n${plan}`);
