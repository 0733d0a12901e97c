import type { Side } from './conflicts.ts';

/** The document that decides a conflict: one side for everything, or for some of its fields. */
export function decisionOf(id: string, resolution: Side | Readonly<Record<string, Side>>) {
  return { data: { type: 'conflict', id, attributes: { resolution } } };
}
