import { BadParameterError } from '../util/errors.ts';
import { beyondLimit, type Limits } from './limits.ts';

/** The dotted path itself, once it is known to have a bearable number of members and no empty one. */
export function checkPath(path: string, parameter: string, limits: Limits): string {
  splitPath(path, parameter, limits);
  return path;
}

/** The members of a dotted path. Throws BadParameterError for too many and for an empty one. */
export function splitPath(path: string, parameter: string, { pathDepth }: Limits): readonly string[] {
  const members = path.split('.');
  if (members.includes('')) {
    throw new BadParameterError(
      parameter,
      path === ''
        ? `${parameter} needs a field path such as 'title' or 'field_author.title'.`
        : `The path '${path}' has an empty part. Members are separated by single dots.`,
    );
  }
  if (members.length > pathDepth) {
    throw beyondLimit(
      parameter,
      'pathDepth',
      `A path may have ${pathDepth} members at most, not ${members.length}`,
    );
  }
  return members;
}
