/** The keys of the attribute `shortcut` that lead into the field, such as `/` and `ctrl+k`. */
export function shortcutKeys(box: HTMLElement): readonly string[] {
  return (box.getAttribute('shortcut') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((key) => key !== '');
}

/** True for one of the keys. Keys without Control belong to fields in which the visitor types. */
export function isShortcut(event: KeyboardEvent, keys: readonly string[]): boolean {
  const [target] = event.composedPath();
  const isTyping =
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  const isControl = event.ctrlKey || event.metaKey;
  const name = `${isControl ? 'ctrl+' : ''}${event.key.toLowerCase()}`;
  return keys.includes(name) && !event.altKey && !event.defaultPrevented && (isControl || !isTyping);
}

/** A key as `aria-keyshortcuts` has it. */
export function ariaKey(key: string): string {
  return key === 'ctrl+k' ? 'Control+K Meta+K' : key;
}

/** A key as visitors read it. */
export function keyName(key: string): string {
  return key === 'ctrl+k' ? 'Ctrl K' : key;
}
