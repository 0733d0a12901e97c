import { InvalidEntityError } from '../../util/errors.ts';

/** A 422: what was sent is no file that can be stored. */
export function refuseUpload(detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { header: 'Content-Disposition' } }]);
}
