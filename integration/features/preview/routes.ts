import { EDITING, type Route } from '../../core/api/routes.ts';
import { ATOMIC_MEDIA_TYPE } from '../../core/read/document-types.ts';

export const PREVIEW_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'preview', below: '/_preview', contentType: ATOMIC_MEDIA_TYPE, methods: ['POST'] },
];
