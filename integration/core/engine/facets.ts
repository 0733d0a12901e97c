/** What queries with facets need. */
export { countFacet, mergeTallies, planFacets, tallyFacet } from './plan/count-facet.ts';
export { resolveFacets } from './resolve/resolve-facets.ts';
