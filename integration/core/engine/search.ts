/** What searches need, besides an index. */
export { rankedPage } from './plan/ranked-page.ts';
export { searchableFields } from './text/searchable.ts';
export { parseSearch } from './text/words.ts';
