import { createHandler } from '../test/support/handler.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';
import { makePages } from './pages.ts';

/**
 * The time of suggestions while words are typed: node bench/suggest.ts [entities] [folder of Markdown files]. Each entity has a title
 * and some 60 words from the files, and one in twenty is not published. Every request is new to the cache.
 */
const ENTITIES = Number(process.argv[2] ?? 100_000);
const TYPED = 60;

const { files, titles, words } = makePages(ENTITIES, process.argv[3]);

const handle = createHandler(await createServices(createMemoryDriver(files)));
const suggest = async (typed: string): Promise<number> => {
  const request = new Request(
    `https://example.org/jsonapi/_suggest?searchWords=${encodeURIComponent(typed)}`,
  );
  const started = performance.now();
  const response = await handle(request);
  await response?.text();
  if (response?.status !== 200) throw new Error(`${typed}: ${response?.status}`);
  return performance.now() - started;
};

console.log(`${ENTITIES} entities, ${words} words: ms of a request for suggestions`);
console.log(`first, with the index ${(await suggest('the')).toFixed(0)}`);
const times: (readonly [ms: number, typed: string])[] = [];
for (let i = 0; i < TYPED; i++) {
  const title = titles[Math.floor((i * ENTITIES) / TYPED)]!.split(' ')
    .slice(0, 2 + (i % 2))
    .join(' ');
  for (let length = 1; length <= title.length; length++) {
    const typed = title.slice(0, length);
    times.push([await suggest(typed), typed]);
  }
}
times.sort(([a], [b]) => a - b);
const at = (share: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))]![0].toFixed(1);
console.log(`median ${at(0.5)}, 95 % ${at(0.95)}, 99 % ${at(0.99)}, slowest ${at(1)} of ${times.length}`);
for (const [ms, typed] of times.slice(-8).reverse()) console.log(`${ms.toFixed(1).padStart(8)}  ${typed}`);
