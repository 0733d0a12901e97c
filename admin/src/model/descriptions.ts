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

/** In place of a text that was removed and is required: values with it are kept in the browser, and never sent. */
export const REMOVED_ALT = '\u00a0';

export function lacksAlt(values: object): boolean {
  return JSON.stringify(values).includes(`"alt":"${REMOVED_ALT}"`);
}

/** Moves the focus to the first text that is missing in an element. False if none is. */
export function focusMissing(inside: ParentNode | null | undefined): boolean {
  const input = inside?.querySelector<HTMLElement>('[data-alt][aria-invalid]');
  input?.closest('details')?.setAttribute('open', '');
  input?.focus();
  return !!input;
}
