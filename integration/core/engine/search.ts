/** The parts of the engine that only full-text queries load. */
export { rankedPage } from './plan/ranked-page.ts';
export { searchableFields } from './text/searchable.ts';
export { parseSearch } from './text/words.ts';
