import { EDITING, type Route } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const TEMPLATES_SEGMENT = '_templates';

export const TEMPLATE_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'templates', below: `/${TEMPLATES_SEGMENT}`, methods: ['GET', 'POST'] },
  { ...EDITING, name: 'template', below: `/${TEMPLATES_SEGMENT}/[id]`, methods: ['GET', 'DELETE'] },
];
