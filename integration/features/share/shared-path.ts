import type { ApiSettings } from '../../core/read/settings.ts';

/** A path in the form that `trailingSlash` asks for. */
export function withSlash(pathname: string, trailingSlash: ApiSettings['trailingSlash']): string {
  if (trailingSlash === 'never') return pathname === '/' ? pathname : pathname.replace(/\/$/, '');
  return trailingSlash === 'always' && !/(?:\/|\.\w+)$/.test(pathname) ? `${pathname}/` : pathname;
}
