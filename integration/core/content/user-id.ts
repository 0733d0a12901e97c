import { v5 } from 'uuid';
import { isUuid } from './resource-type.ts';

/**
 * The id of a user: a UUID of the name of the account, version 5, so that it does not reveal the name. A UUID stays. Source: RFC
 * 9562, section 5.5.
 */
export function userId(name: string): string {
  return isUuid(name) ? name : v5(name, NAMESPACE);
}

const NAMESPACE = 'b7d0b2f4-0d5e-4c43-8c7e-52a1f7a0c9d3';
