import { JSONAPI, type Route } from '../../core/api/routes.ts';
import { ATOMIC_MEDIA_TYPE } from '../../core/read/document-types.ts';

export const OPERATION_ROUTES: readonly Route[] = [
  {
    ...JSONAPI,
    name: 'operations',
    below: '/operations',
    writes: true,
    contentType: ATOMIC_MEDIA_TYPE,
    methods: ['POST'],
  },
];
