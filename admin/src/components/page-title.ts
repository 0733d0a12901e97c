import { BRAND } from '../api/config.ts';

/** Names the page in the browser's tab and history. */
export function showTitle(name: string): void {
  document.title = BRAND === undefined ? name : `${name} · ${BRAND.name}`;
}
