/** Passes connections to servers in turn: `<port> <ports of servers…>`. A process of its own, so that its time can be measured. */
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [port, ...servers] = process.argv.slice(2).map(Number);
let turn = 0;
createServer((client) => {
  const server = connect(servers[turn++ % servers.length] ?? 0, '127.0.0.1');
  const ignore = () => undefined;
  pipeline(client, server, ignore);
  pipeline(server, client, ignore);
}).listen(port, '127.0.0.1');
