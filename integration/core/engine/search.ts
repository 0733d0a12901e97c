/** The parts of the engine that only full-text queries load. */
export { rankedPage } from './plan/ranked-page.ts';
export { resolveSearch } from './resolve/resolve-search.ts';
