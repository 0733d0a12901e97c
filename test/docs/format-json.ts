/** JSON with short values on one line. */
export function formatJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (line.length <= 100 || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${deeper}${isList ? '' : `${JSON.stringify(name)}: `}${formatJson(each, deeper)}`,
  );
  return `${isList ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}
