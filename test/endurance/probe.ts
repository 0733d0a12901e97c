/**
 * Sends a plain GET every 5 ms until its input ends, then prints as JSON the milliseconds that each answer took, and the
 * number of requests that failed. A process of its own, so that no other work delays it.
 *
 *     node test/endurance/probe.ts <url>
 */
import { Agent, get } from 'node:http';

const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const taken: number[] = [];

/** Requests that have no answer. A connection that the server closes because it is idle is not one. */
let failed = 0;

function ask(): void {
  const sent = performance.now();
  get(url, { agent }, (response) => {
    if (response.statusCode !== 200) failed += 1;
    response.resume().on('end', () => taken.push(performance.now() - sent));
  }).on('error', (error) => {
    if ('code' in error && error.code === 'ECONNRESET') ask();
    else failed += 1;
  });
}

const timer = setInterval(ask, 5);
process.stdin.resume().on('end', () => {
  clearInterval(timer);
  process.stdout.write(JSON.stringify({ taken, failed }), () => process.exit());
});
