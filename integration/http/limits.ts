/** Characters of path and query together; longer ones are a 414. */
export const MAX_TARGET_LENGTH = 8192;
