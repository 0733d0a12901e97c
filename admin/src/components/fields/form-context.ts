import { createContext } from 'svelte';
import type { Bundle } from '../../api/schema.ts';
import type { Values } from '../../model/entity-form.ts';

export interface Reference {
  readonly type: string;
  readonly id: string;
}

/** The facts about a form that its inputs need. */
export interface FormContext {
  readonly bundle: Bundle;
  /** Asks for an entity to refer to. Undefined if it was not created. Missing in a form that cannot open another one. */
  readonly create?: (bundle: Bundle, title: string) => Promise<Reference | undefined>;
  /** The values of the entry, by field. */
  readonly values?: () => Values;
  /** The id of a stored entry. */
  readonly id?: () => string | undefined;
  /** The language of the entry. */
  readonly language?: () => string | undefined;
  /** Messages for the input with this id: that of its field, and the steps to the part of the value. */
  readonly errorsAt?: (id: string) => readonly string[];
  /** True if an input in the part with this id has errors. */
  readonly hasErrorsIn?: (id: string) => boolean;
  /** True if the input with this id stays although its condition does not hold. */
  readonly isKept?: (id: string) => boolean;
}

export const [formContext, setFormContext] = createContext<FormContext>();
