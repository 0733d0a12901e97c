import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server with a constant response, in a process of its own: its latencies show how busy the machine is. */
export interface Control {
  readonly origin: string;
  stop(): Promise<void>;
}

/**
 * True if latencies can be asserted: the responses of the control server arrived in time, and the machine is not one of
 * continuous integration, whose speed is unknown. Otherwise they are only printed.
 */
export function isQuiet(controlMs: number): boolean {
  return controlMs < QUIET_MS && process.env.CI !== 'true';
}

const QUIET_MS = 20;

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
