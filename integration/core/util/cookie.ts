/** The value of a request's cookie; undefined without one. */
export function cookieOf(headers: Headers, name: string): string | undefined {
  const pairs = headers.get('cookie')?.split(';') ?? [];
  const pair = pairs.map((each) => each.trim()).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
