/** First path segments below `/jsonapi`, if the content has no entity type of that name. */
export const MENU_PATH = 'menu_items';
export const INDEX_PATH = 'index';
export const VIEWS_PATH = 'views';

/** True for the paths of menus, search indexes and views, and of entity types with these names. */
export function isNamedPath([first = '']: readonly string[]): boolean {
  return [MENU_PATH, INDEX_PATH, VIEWS_PATH].includes(first.toLowerCase());
}
