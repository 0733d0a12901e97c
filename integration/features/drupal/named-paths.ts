/** First path segments below `/jsonapi`, if the content has no entity type of that name. */
export const MENU_PATH = 'menu_items';
export const INDEX_PATH = 'index';
export const VIEWS_PATH = 'views';
