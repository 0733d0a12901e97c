import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** A server of SMTP that takes every mail. */
export interface SmtpSink {
  /** For option `editing.mail.smtp`. */
  readonly url: string;
  /** The lines that clients sent, of all mails. */
  readonly lines: readonly string[];
  /** The mails, with their headers, as a reader shows them. */
  mails(): readonly string[];
  close(): Promise<void>;
}

export async function startSmtpSink(): Promise<SmtpSink> {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.write('220 mail.site.example\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      for (const line of String(chunk).split('\r\n')) {
        lines.push(line);
        if (isData && line === '.') {
          isData = false;
          socket.write('250 accepted\r\n');
        } else if (!isData && line.startsWith('DATA')) {
          isData = true;
          socket.write('354 go on\r\n');
        } else if (!isData && line.startsWith('QUIT')) socket.end('221 bye\r\n');
        else if (!isData && line !== '') socket.write('250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    mails: () =>
      [...lines.join('\n').matchAll(/^DATA\n([\s\S]*?)\n\.$/gm)].map(([, mail = '']) => plain(mail)),
    async close() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Undoes quoted-printable. Source: RFC 2045, 6.7. */
function plain(mail: string): string {
  if (!/^content-transfer-encoding: quoted-printable$/im.test(mail)) return mail;
  const bytes = mail
    .replace(/=\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
