import type { Page } from 'playwright-core';

/** Script errors and violations of the Content Security Policy are faults. */
export function watchFaults(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
}

/** Addresses that the account may not request are faults. */
export function watchRefusals(page: Page, faults: string[]): void {
  page.on('response', (response) => {
    if (response.status() === 403) faults.push(`403 ${response.url()}`);
  });
}

/** Texts with a contrast of less than 4.5:1 to their background. Runs in the page. */
export function faintTexts(): string[] {
  const channels = (colour: string): readonly number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red = 0, green = 0, blue = 0]: readonly number[]): number => {
    const linear = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const behind = (element: Element | null): readonly number[] => {
    if (element === null) return [255, 255, 255];
    const colour = channels(getComputedStyle(element).backgroundColor);
    const alpha = colour[3] ?? 1;
    if (alpha === 1) return colour;
    const under = behind(element.parentElement);
    return [0, 1, 2].map((at) => (colour[at] ?? 0) * alpha + (under[at] ?? 0) * (1 - alpha));
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(
    'body *:not(script):not(noscript):not(.skip)',
  )) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent?.trim() ?? '')
      .join('');
    if (text === '' || element.offsetParent === null) continue;
    const [one, other] = [luminance(channels(getComputedStyle(element).color)), luminance(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) faint.push(`${text.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return faint;
}

/** Controls without a name for a screen reader. Runs in the page. */
export function namelessControls(): string[] {
  return [...document.querySelectorAll<HTMLElement>('input, select, textarea, button, a[href]')]
    .filter((control) => {
      const labels = 'labels' in control && control.labels instanceof NodeList ? control.labels.length : 0;
      return !control.getAttribute('aria-label') && labels === 0 && control.textContent?.trim() === '';
    })
    .map((control) => control.outerHTML.slice(0, 80));
}

/** True for presence reports, which change no content. */
export function isPresence(request: { url(): string }): boolean {
  return new URL(request.url()).pathname.startsWith('/jsonapi/_presence/');
}
