import { DomainError, UnauthorizedError } from '../../core/util/errors.ts';

/** The content of an `Authorization` header. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly name: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** `fault` completes the sentence "The Authorization header …". */
  | { readonly kind: 'malformed'; readonly fault: string };

/** Reads an `Authorization` header: HTTP Basic (RFC 7617, in UTF-8) or a bearer token (RFC 6750). Never throws. */
export function readCredentials(header: string | null): Credentials {
  const written = header?.trim() ?? '';
  if (written === '') return { kind: 'none' };
  const [, scheme = '', rest = ''] = /^([!#$%&'*+.^_`|~\w-]+)(?: +(.*))?$/s.exec(written) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return readBasic(rest);
    case 'bearer':
      return /^[A-Za-z0-9._~+/-]+=*$/.test(rest)
        ? { kind: 'bearer', token: rest }
        : malformed('has no bearer token after `Bearer`');
    case '':
      return malformed('is not valid');
    default:
      return malformed('has an unknown scheme');
  }
}

function readBasic(encoded: string): Credentials {
  const text = decodeBase64(encoded);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1 || /\p{Cc}/u.test(text)) {
    return malformed('has no name:password in base64 and UTF-8 after `Basic`');
  }
  return { kind: 'basic', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decodeBase64(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  try {
    return UTF8.decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
  } catch {
    // Not base64, or not UTF-8.
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function malformed(fault: string): Credentials {
  return { kind: 'malformed', fault };
}

const HEADER = { header: 'Authorization' } as const;

/** The credentials are wrong. */
export function credentialsRefused(detail: string): UnauthorizedError {
  return new UnauthorizedError(detail, HEADER);
}

/** The bearer token is not valid. A header repeats `detail`, so it must not contain double quotes. Source: RFC 6750. */
export function tokenRefused(detail: string): DomainError {
  return new DomainError('invalid-token', detail, { source: HEADER });
}

/** The token is limited to reading. */
export function scopeTooSmall(): DomainError {
  const detail = 'The token may only read. To write, use one with the scope write.';
  return new DomainError('insufficient-scope', detail, { source: HEADER });
}
