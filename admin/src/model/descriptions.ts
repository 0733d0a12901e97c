/** A picture whose alternative text is being written. */
export interface Description {
  readonly alt: string;
  readonly isDecorative: boolean;
}

export function isDescribed({ alt, isDecorative }: Description): boolean {
  return isDecorative || alt.trim() !== '';
}

/** The text to store; empty for decoration. */
export function altOf({ alt, isDecorative }: Description): string {
  return isDecorative ? '' : alt.trim();
}

/** Moves the focus to the first text that is missing in a form. */
export function focusMissing(form: HTMLElement): void {
  form.querySelector<HTMLElement>('[data-alt][aria-invalid]')?.focus();
}
