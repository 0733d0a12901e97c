import { createContext } from 'svelte';
import type { Bundle } from '../../api/schema.ts';

export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** The facts about a form that its inputs need. */
export interface FormContext {
  readonly bundle: Bundle;
  /** Asks for an entity to refer to. Undefined if it was not created. Missing in a form that cannot open another one. */
  readonly create?: (bundle: Bundle, title: string) => Promise<Reference | undefined>;
}

export const [formContext, setFormContext] = createContext<FormContext>();
