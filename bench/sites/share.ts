/**
 * Lets processes run in turns, each for a fixed share of the time, so that any number of them gets the same processor time each as
 * one alone. A worker with `{ pids, turns, turnMs }`: `turns` is at least the number of processes. Ended by a message.
 */
import { parentPort, workerData } from 'node:worker_threads';

const { pids, turns, turnMs }: { pids: readonly number[]; turns: number; turnMs: number } = workerData;
let at = 0;
let running: number | undefined;
const timer = setInterval(() => {
  if (running !== undefined) process.kill(running, 'SIGSTOP');
  running = pids[at++ % turns];
  if (running !== undefined) process.kill(running, 'SIGCONT');
}, turnMs);
for (const pid of pids) process.kill(pid, 'SIGSTOP');
parentPort?.once('message', () => {
  clearInterval(timer);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  parentPort?.close();
});
