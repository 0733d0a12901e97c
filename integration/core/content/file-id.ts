import { v5 } from 'uuid';

/** The id of the resource of a file: a UUID of its URI, version 5. Source: RFC 9562, section 5.5. */
export function fileId(uri: string): string {
  return v5(uri, NAMESPACE);
}

const NAMESPACE = '6c1a9e0e-5d0b-4b5e-9f55-0d2a9b8f3f6d';
