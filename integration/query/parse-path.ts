import { BadParameterError } from '../errors.ts';
import { MAX_PATH_DEPTH } from './limits.ts';

/** The dotted path itself, once it is known to have a bearable number of members and no empty one. */
export function checkPath(path: string, parameter: string): string {
  splitPath(path, parameter);
  return path;
}

/** The members of a dotted path. Throws BadParameterError for too many and for an empty one. */
export function splitPath(path: string, parameter: string): readonly string[] {
  const members = path.split('.');
  if (members.includes('')) {
    throw new BadParameterError(
      parameter,
      path === ''
        ? `${parameter} needs a field path such as 'title' or 'field_author.title'.`
        : `The path '${path}' has an empty part. Members are separated by single dots.`,
    );
  }
  if (members.length > MAX_PATH_DEPTH) {
    throw new BadParameterError(
      parameter,
      `A path may have ${MAX_PATH_DEPTH} members at most, not ${members.length}.`,
    );
  }
  return members;
}
