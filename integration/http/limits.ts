/** Characters of path and query together; longer ones are a 414. */
export const MAX_TARGET_LENGTH = 8192;
/** Requests in one to `/subrequests`; more are a 400. */
export const MAX_SUBREQUESTS = 20;
/** Bytes of the body of a request to `/subrequests`; more are a 413. */
export const MAX_SUBREQUESTS_BYTES = 65_536;
