import type { Snippet } from '../call-pane.ts';

/** A request, as it is to be shown. */
export interface ShownRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whose name `curl` sends; undefined for none. */
  readonly account: string | undefined;
}

/** A request in each language that it is shown in. */
export function requestCode(request: ShownRequest): readonly Snippet[] {
  return [
    { title: 'curl', code: curlCode(request) },
    { title: 'fetch', code: fetchCode(request) },
  ];
}

/** For a POSIX shell. It asks for the password. */
function curlCode({ method, url, headers, body, account }: ShownRequest): string {
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    ...(account === undefined || account === '' ? [] : [`-u ${quoted(account)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** For a page of the site whose visitor is signed in. A body that is JSON is written as the object it is. */
function fetchCode({ method, url, headers, body }: ShownRequest): string {
  const entries = Object.entries(headers).map(([name, value]) => `    ${script(name)}: ${script(value)},`);
  const lines = [
    `const response = await fetch(${script(url)}, {`,
    `  method: ${script(method)},`,
    ...(entries.length === 0 ? [] : ['  headers: {', ...entries, '  },']),
    ...(body === undefined ? [] : [`  body: ${bodyCode(body)},`]),
    '});',
  ];
  return lines.join('\n');
}

function bodyCode(body: string): string {
  try {
    const indented = JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ');
    return `JSON.stringify(${indented})`;
  } catch {
    return script(body);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function script(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
