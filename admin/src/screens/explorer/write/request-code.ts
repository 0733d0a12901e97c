import { quote } from '../../../../../integration/core/builder/format-query.ts';

export interface RequestToShow {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The account name for `curl`. */
  readonly account: string | undefined;
}

/** For a POSIX shell. `curl` asks for the password. */
export function curlCode({ method, url, headers, body, account }: RequestToShow): string {
  const parts = [
    `curl -X ${method} ${shellQuote(url)}`,
    ...(account ? [`-u ${shellQuote(account)}`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuote(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** For a page of the site whose visitor is signed in. */
export function fetchCode({ method, url, headers, body }: RequestToShow): string {
  const entries = Object.entries(headers).map(([name, value]) => `    ${quote(name)}: ${quote(value)},`);
  return [
    `const response = await fetch(${quote(url)}, {`,
    `  method: ${quote(method)},`,
    ...(entries.length === 0 ? [] : ['  headers: {', ...entries, '  },']),
    ...(body === undefined ? [] : [`  body: ${bodyCode(body)},`]),
    '});',
  ].join('\n');
}

/** Reads a URL of the API from the files of a static site. */
export function clientCode(url: string, api: string): string {
  const options = api === '/jsonapi' ? '' : `{ base: ${quote(api)} }`;
  return [
    "import { createFetch } from 'astro-jsonapi/client';",
    '',
    `const fetch = createFetch(${options});`,
    `const response = await fetch(${quote(url)});`,
    'const { data } = await response.json();',
  ].join('\n');
}

function bodyCode(body: string): string {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ')})`;
  } catch {
    return quote(body);
  }
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
