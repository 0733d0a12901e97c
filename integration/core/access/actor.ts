import type { SpecialPermission } from './role.ts';

/** Who sends a request. `createPolicy` turns role names into permissions. */
export interface Actor {
  /** Account name; null for anonymous. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** Permissions in addition to those of the roles. Default: none. */
  readonly also?: readonly SpecialPermission[];
}

export const ANONYMOUS: Actor = { name: null, roles: ['anonymous'] };
/** Sees everything: build-time queries with `{ as: 'everyone' }`. */
export const ADMINISTRATOR: Actor = { name: 'administrator', roles: ['authenticated', 'administrator'] };
