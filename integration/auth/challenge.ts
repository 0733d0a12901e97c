import { ForbiddenError, UnauthorizedError } from '../errors.ts';

/** The refusals that tell a client how to identify itself. */
export interface Challenges {
  /** 401 for a request without credentials that needs some. */
  signInRequired(): UnauthorizedError;
  /** 401 for credentials that do not hold. */
  refused(detail: string): UnauthorizedError;
  /** 401 for a bearer token that does not hold. */
  tokenRefused(detail: string): UnauthorizedError;
  /** 403 for a token that may only read. */
  scopeTooSmall(): ForbiddenError;
}

/** Source: RFC 7617, section 2, and RFC 6750, section 3. `realm` is shown by browsers. */
export function createChallenges(realm: string): Challenges {
  const name = realmParameter(realm);
  const both = (error: string) => `${basicChallenge(realm)}, Bearer ${name}${error}`;
  return {
    signInRequired: () =>
      new UnauthorizedError('Sign in for this: send a name and password, or a token.', both('')),
    refused: (detail) => new UnauthorizedError(detail, both('')),
    tokenRefused: (detail) =>
      new UnauthorizedError(detail, both(`, error="invalid_token", error_description="${detail}"`)),
    scopeTooSmall: () =>
      new ForbiddenError('The token may only read. To write, use one with the scope write.', {
        'www-authenticate': `Bearer ${name}, error="insufficient_scope", scope="write"`,
      }),
  };
}

/** What asks for HTTP Basic alone. */
export function basicChallenge(realm: string): string {
  return `Basic ${realmParameter(realm)}, charset="UTF-8"`;
}

/** A header holds ASCII only; what would end the quotes is left out. */
function realmParameter(realm: string): string {
  return `realm="${realm.replace(/[^\x20-\x7e]|["\\]/g, '')}"`;
}
