import type { DescribeRoutes } from '../../core/api/description.ts';
import { createBundleNames } from './names.ts';

/** The names of types in the addresses of plain JSON. OpenAPI describes the addresses themselves as those of JSON:API. */
export const describeRest: DescribeRoutes = () => ({
  rest: {
    operations: {},
    typeNames: ({ store, settings }) => createBundleNames(store.types.values(), settings.plurals).plural,
  },
});
