/**
 * The styles of the box, as a constructed style sheet: no security policy refuses it. `light-dark()` follows the color
 * scheme of the element.
 */
export const STYLES = `
:host {
  display: block;
  position: relative;
  color-scheme: light dark;
  min-inline-size: 0;
  --_color: var(--search-color, light-dark(#1b1f24, #eceff3));
  --_muted: var(--search-muted, light-dark(#57606a, #a5afbb));
  --_background: var(--search-background, light-dark(#fff, #16191d));
  --_border: var(--search-border, light-dark(#c9d0d8, #3c444d));
  --_accent: var(--search-accent, light-dark(#0a58b5, #8fc0ff));
  --_active: var(--search-active, light-dark(#e8f0fb, #243244));
  --_mark: var(--search-mark, light-dark(#fff0a8, #54480f));
  --_radius: var(--search-radius, 0.5rem);
  font: var(--search-font, inherit);
  color: var(--_color);
  text-align: start;
}
:host([hidden]) { display: none; }
:host([theme='light']) { color-scheme: light; }
:host([theme='dark']) { color-scheme: dark; }
:host([theme='page']) { color-scheme: inherit; }
* { box-sizing: border-box; }
form { position: relative; margin: 0; }
svg {
  position: absolute;
  inset-block: 0;
  inset-inline-start: 0.75rem;
  margin-block: auto;
  inline-size: 1rem;
  block-size: 1rem;
  color: var(--_muted);
  pointer-events: none;
}
input {
  inline-size: 100%;
  block-size: var(--search-height, 2.5rem);
  margin: 0;
  padding-block: 0;
  padding-inline: 2.35rem 0.75rem;
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
  background: var(--_background);
  color: inherit;
  font: inherit;
  font-size: max(1em, 16px);
  line-height: 1.2;
  appearance: none;
}
input::placeholder { color: var(--_muted); opacity: 1; }
input::-webkit-search-cancel-button { appearance: none; }
.hinted input { padding-inline-end: 4.25rem; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 1px; }
kbd {
  position: absolute;
  inset-block: 0;
  inset-inline-end: 0.6rem;
  block-size: max-content;
  margin-block: auto;
  padding: 0.2em 0.45em;
  border: 1px solid var(--_border);
  border-radius: 0.3em;
  color: var(--_muted);
  font: inherit;
  font-size: 0.75rem;
  line-height: 1;
  pointer-events: none;
}
input:focus ~ kbd, input:not(:placeholder-shown) ~ kbd { display: none; }
@media (pointer: coarse) { kbd { display: none; } .hinted input { padding-inline-end: 0.75rem; } }
.status {
  position: absolute;
  inline-size: 1px;
  block-size: 1px;
  margin: 0;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.panel {
  position: fixed;
  inset: auto;
  margin: 0;
  padding: 0.4rem;
  overflow: hidden;
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
  background: var(--_background);
  color: inherit;
  box-shadow: var(--search-shadow, 0 0.75rem 2.5rem rgb(0 0 0 / 0.22));
  font-size: 0.9375rem;
  line-height: 1.45;
  overflow-wrap: anywhere;
}
.panel:popover-open { display: flex; flex-direction: column; }
.panel > * { flex: none; }
[role='listbox'] { flex: 0 1 auto; min-block-size: 0; overflow: auto; overscroll-behavior: contain; }
[hidden] { display: none; }
[aria-busy='true'] [role='listbox'] { opacity: 0.55; }
[role='option'] {
  display: block;
  padding: 0.5rem 0.65rem;
  border-radius: calc(var(--_radius) * 0.75);
  color: inherit;
  text-decoration: none;
  cursor: pointer;
}
[role='option']:hover { background: color-mix(in srgb, var(--_active) 60%, transparent); }
[role='option'][aria-selected='true'] { background: var(--_active); box-shadow: inset 3px 0 var(--_accent); }
:dir(rtl)[aria-selected='true'] { box-shadow: inset -3px 0 var(--_accent); }
.title { display: block; font-weight: 600; }
.excerpt {
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  overflow: hidden;
  color: var(--_muted);
  font-size: 0.875rem;
}
.below {
  margin-inline-start: 0.9rem;
  padding-block: 0.35rem;
  border-inline-start: 2px solid var(--_border);
  border-start-start-radius: 0;
  border-end-start-radius: 0;
}
.below .title { font-weight: 500; font-size: 0.875rem; }
.all { margin-block-start: 0.25rem; color: var(--_accent); font-weight: 600; text-align: center; }
mark { border-radius: 0.15em; background: var(--_mark); color: var(--_color); }
.group, .heading {
  margin: 0;
  padding: 0.65rem 0.65rem 0.2rem;
  color: var(--_muted);
  font-size: 0.75rem;
  font-weight: 600;
  letter-spacing: 0.03em;
}
.note { margin: 0; max-block-size: 8rem; overflow: auto; padding: 0.5rem 0.65rem; color: var(--_muted); }
.note strong {
  display: -webkit-inline-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 3;
  overflow: hidden;
  color: var(--_color);
  font-weight: 600;
}
.facets { display: flex; flex-wrap: wrap; gap: 0.35rem; max-block-size: 6.5rem; margin: 0; overflow: auto; padding: 0.35rem 0.65rem 0.5rem; border: 0; }
.facets legend { float: inline-start; padding: 0; color: var(--_muted); font-size: 0.8125rem; line-height: 1.75rem; }
button {
  min-block-size: 1.75rem;
  padding: 0 0.7em;
  border: 1px solid var(--_border);
  border-radius: 99rem;
  background: none;
  color: inherit;
  font: inherit;
  font-size: 0.8125rem;
  cursor: pointer;
}
button:hover { border-color: var(--_accent); }
button[aria-pressed='true'] { border-color: var(--_accent); background: var(--_active); color: var(--_accent); font-weight: 600; }
button span { color: var(--_muted); }
.row { display: flex; align-items: center; justify-content: space-between; gap: 0.5rem; }
.row button { margin-inline-end: 0.4rem; }
@media (forced-colors: active) {
  [role='option'][aria-selected='true'] { outline: 2px solid Highlight; outline-offset: -2px; }
}
@media (prefers-reduced-motion: no-preference) {
  [role='listbox'] { transition: opacity 0.15s; }
}
`;
