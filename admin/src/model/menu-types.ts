import type { Bundle } from '../api/schema.ts';

/** True for the links of a menu, which have a screen of their own in place of a list. */
export function isMenu({ entityType }: Pick<Bundle, 'entityType'>): boolean {
  return entityType === 'menu_link_content';
}
