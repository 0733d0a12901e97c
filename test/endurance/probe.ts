/**
 * Sends a plain GET every 5 ms over one connection until its input ends, then prints the milliseconds that each answer
 * took, as JSON. A process of its own, so that no other work delays it.
 *
 *     node test/endurance/probe.ts <url>
 */
import { Agent, get } from 'node:http';

const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const taken: number[] = [];

function ask(): Promise<void> {
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${url} is answered with ${response.statusCode}.`));
        taken.push(performance.now() - sent);
        resolve();
      });
    }).on('error', reject);
  });
}

const timer = setInterval(() => void ask(), 5);
process.stdin.resume().on('end', () => {
  clearInterval(timer);
  agent.destroy();
  process.stdout.write(JSON.stringify(taken.map((ms) => Math.round(ms * 100) / 100)), () => process.exit());
});
