/** Attributes of an input that belong to its field. */
export interface ControlAttributes {
  readonly id?: string | undefined;
  readonly 'aria-label'?: string;
  readonly 'aria-invalid'?: 'true';
  readonly 'aria-describedby'?: string;
  readonly 'aria-required'?: 'true';
}
