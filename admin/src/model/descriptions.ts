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

/** Moves the focus to the first text that is missing in an element. False if none is. */
export function focusMissing(inside: ParentNode | null | undefined): boolean {
  const input = inside?.querySelector<HTMLElement>('[data-alt][aria-invalid]');
  input?.closest('details')?.setAttribute('open', '');
  input?.focus();
  return !!input;
}
