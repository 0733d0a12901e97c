import { foreignSender, isSame, senderOf } from '../../core/server/cross-site.ts';
import { ForbiddenError } from '../../core/util/errors.ts';

/** Throws ForbiddenError for a wrong token, and without a token unless a page of this site sent the request. */
export function checkCrossSite(
  request: Pick<Request, 'url' | 'headers'>,
  { token, valid }: { readonly token: string | null; readonly valid: readonly string[] },
): void {
  if (token !== null && token !== '') {
    if (valid.some((each) => isSame(each, token))) return;
    throw new ForbiddenError(
      'The token does not belong to this session. Get a new one from /session/token.',
      CSRF_SOURCE,
    );
  }
  const sender = senderOf(request);
  if (sender === 'foreign') throw foreignSender(request);
  if (sender === 'unknown') {
    throw new ForbiddenError(
      'A cookie alone is not enough, because any page can make a browser send it. Send the header X-CSRF-Token with the token from /session/token, or use HTTP Basic or a bearer token.',
      CSRF_SOURCE,
    );
  }
}

const CSRF_SOURCE = { header: 'X-CSRF-Token' } as const;
