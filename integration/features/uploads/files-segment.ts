/** Below `/jsonapi`. */
export const FILES_SEGMENT = '_files';
