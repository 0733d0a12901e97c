import { byId, h, replaceChildren } from './dom.ts';
import { METHODS, type Method } from './location-hash.ts';

/** Offers a choice of methods in front of the URL. */
export function methodBox(choose: (method: Method) => void): void {
  const box = byId('method');
  replaceChildren(box, ...METHODS.map((method) => h('option', { value: method }, method)));
  box.addEventListener('change', () => {
    const chosen = METHODS.find((method) => box instanceof HTMLSelectElement && method === box.value);
    if (chosen !== undefined) choose(chosen);
  });
  box.hidden = false;
  byId('get').hidden = true;
}

/** Says what Run does now. */
export function showMethod(method: Method): void {
  const box = byId('method');
  if (box instanceof HTMLSelectElement) box.value = method;
  box.dataset.method = method;
  byId('run').textContent = method === 'GET' ? 'Run' : 'Send';
}
