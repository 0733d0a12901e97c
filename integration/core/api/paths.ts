/** The admin's pages. */
export const ADMIN_PATH = '/admin';
/** The query explorer's page. */
export const EXPLORER_PATH = '/jsonapi-explorer';
/** Below `/jsonapi`. */
export const STATUS_SEGMENT = '_status';
