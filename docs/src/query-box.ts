/** A request in lines, as the pages show it: the path, then a parameter in each line. */
export function inLines(query: string): string {
  const [path = '', parameters] = query.split('?');
  if (parameters === undefined) return path;
  const lines = parameters.split('&').map((each) => decodeURIComponent(each));
  return [path, ...lines.map((line, at) => `  ${at === 0 ? '?' : '&'}${line}`)].join('\n');
}

/** The query of lines: `/node/page?sort=title`. A path may start with `/jsonapi`, as in a URL. */
export function ofLines(text: string): string {
  const [path = '', ...parameters] = text
    .trim()
    .replace(/^GET\s+/, '')
    .replace(/^(?:https?:\/\/[^/\s]+)?\/jsonapi(?=\/)/, '')
    .split(/\s*\n\s*&?|[?&]/)
    .map((each) => each.trim().replace(/^\?/, ''))
    .filter((each) => each !== '');
  if (parameters.length === 0) return path;
  return `${path}?${parameters.map((each) => encodeURI(decoded(each)).replaceAll('+', '%2B')).join('&')}`;
}

/** A document in the order of interest, with short values on one line. */
export function formatDocument(document: Readonly<Record<string, unknown>>): string {
  const { jsonapi: _, errors, data, included, meta, ...others } = document;
  return formatJson({ errors, data, included, meta, ...others });
}

function formatJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (line.length + indent.length <= LINE_WIDTH || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(
      ([name, each]) => `${deeper}${isList ? '' : `${JSON.stringify(name)}: `}${formatJson(each, deeper)}`,
    );
  return `${isList ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

const LINE_WIDTH = 72;

/** A text in HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
