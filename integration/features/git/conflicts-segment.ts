/** Below `/jsonapi`. */
export const CONFLICTS_SEGMENT = '_conflicts';
