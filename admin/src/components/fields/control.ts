/** Attributes of an input that belong to its field. */
export interface ControlAttributes {
  /** Inputs of parts of the value have this id and the steps to them: `field-blocks/1/heading`. */
  readonly id?: string | undefined;
  readonly 'aria-label'?: string;
  readonly 'aria-invalid'?: 'true';
  readonly 'aria-describedby'?: string;
  readonly 'aria-required'?: 'true';
  /** The language and the direction of the value, if the elements around the input do not set them. */
  readonly lang?: string;
  readonly dir?: 'ltr' | 'rtl';
}

/** Moves the focus to the input with an id, or to the first input in the group with it. */
export function focusAt(id: string): void {
  const element = document.getElementById(id);
  const inputs = 'input, select, textarea, button, [contenteditable=true]';
  const input = element?.matches(inputs) ? element : element?.querySelector<HTMLElement>(inputs);
  input?.scrollIntoView({ block: 'center' });
  input?.focus();
}
