/** Whether a request has a cookie of that name. */
export function namesCookie({ headers }: Pick<Request, 'headers'>, name: string): boolean {
  const cookies = headers.get('cookie')?.split(';') ?? [];
  return cookies.some((cookie) => cookie.split('=', 1)[0]?.trim() === name);
}
