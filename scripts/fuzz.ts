import { runFuzz } from '../test/conformance/fuzz-run.ts';
import { createDemoServices } from '../test/support/demo.ts';

/**
 * `npm run fuzz -- [requests] [seed]`: random and mutated requests to the API over the demo content. Prints the
 * responses by status; exits with 1 if a response was wrong or too slow.
 */
const [count = '100000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const services = await createDemoServices({ settings: { explorer: true } });

const started = performance.now();
const report = await runFuzz(services, Number(count), Number(seed));
const seconds = (performance.now() - started) / 1000;
const share = (report.handledMs / 1000).toFixed(1);
const rate = Math.round((Number(count) / report.handledMs) * 1000);
console.log(
  `${count} requests (seed ${seed}) in ${seconds.toFixed(1)} s, ${share} s of them in the handler.`,
);
console.log(`${rate} requests/s; ${report.validated} documents valid JSON:API but those named below.`);
for (const [status, times] of [...report.statuses].sort()) console.log(`  ${status}  ${times}`);
console.log('Most CPU when first sent:');
for (const { request, cpuMs, status } of report.slowest)
  console.log(`  ${cpuMs.toFixed(1)} ms  ${status} ${request.method} ${shown(request.target)}`);
console.log(`${report.offenders.length} offenders`);
for (const { request, problem } of report.offenders.slice(0, 50))
  console.log(
    `  ${problem}\n    ${request.method} ${request.target} ${request.accept ?? ''} ${request.body ?? ''}`,
  );
process.exitCode = report.offenders.length === 0 ? 0 : 1;

function shown(target: string): string {
  return target.length > 200 ? `${target.slice(0, 200)}… (${target.length})` : target;
}
