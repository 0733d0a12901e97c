import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server with a constant response, in a process of its own: its latencies show how busy the machine is. */
export interface Control {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Latencies are asserted only if responses of the control server arrive within this time, in milliseconds. */
export const QUIET_MS = 20;

const SERVER = `
const server = require('node:http').createServer((_, response) => response.end('OK'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

export async function startControl(): Promise<Control> {
  const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return {
    origin: `http://127.0.0.1:${Number(port)}`,
    async stop() {
      child.kill();
      await once(child, 'close');
    },
  };
}
