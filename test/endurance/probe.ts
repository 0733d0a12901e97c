/**
 * Sends a plain GET to a server and to a control server every 5 ms until its input ends. Then it prints a `ProbeResult` as
 * JSON. A process of its own, so that no other work delays it.
 *
 *     node test/endurance/probe.ts <url> <url of the control server>
 */
import { Agent, get } from 'node:http';

/** Latencies are in milliseconds, in ascending order. */
export interface ProbeResult {
  readonly latencies: readonly number[];
  readonly control: readonly number[];
  /** Requests to the server without a response, or with an error. */
  readonly failed: number;
}

const [url = '', controlUrl = ''] = process.argv.slice(2);
// Only an agent with a timeout closes idle connections before the server does.
const agent = new Agent({ keepAlive: true, timeout: 60_000 });
const latencies: number[] = [];
const control: number[] = [];
let failed = 0;

function measure(target: string, results: number[], onFailure: () => void): void {
  const sent = performance.now();
  const request = get(target, { agent }, (response) => {
    if (response.statusCode !== 200) onFailure();
    response.resume().on('end', () => results.push(performance.now() - sent));
  });
  request.on('error', (error) => {
    // A server may close an idle connection at any time.
    if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
      measure(target, results, onFailure);
    else onFailure();
  });
}

const timer = setInterval(() => {
  measure(url, latencies, () => {
    failed += 1;
  });
  measure(controlUrl, control, () => undefined);
}, 5);
process.stdin.resume().on('end', () => {
  clearInterval(timer);
  const ascending = (a: number, b: number) => a - b;
  const result: ProbeResult = {
    latencies: latencies.sort(ascending),
    control: control.sort(ascending),
    failed,
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
});
