/** What the page shows while the app loads: the frame of a screen, without text. */
export const SKELETON = `<div id="skeleton" role="status" aria-label="Loading">
<div class="bones-side">${'<i></i>'.repeat(7)}</div>
<div class="bones-main"><i></i><i></i><i></i><i></i></div>
</div>`;

/** The style of the skeleton. It moves only for people who did not ask for less motion. */
export const SKELETON_STYLE = `body { margin: 0; background: var(--page); }
#skeleton { position: fixed; inset: 0; z-index: 7; display: grid; grid-template-columns: 232px minmax(0, 1fr); background: var(--page); }
#skeleton i { display: block; border-radius: 6px; background: var(--line); }
.bones-side { display: grid; gap: 12px; align-content: start; padding: 16px 20px; border-inline-end: 1px solid var(--line); background: var(--panel); }
.bones-side i { height: 22px; width: 70%; }
.bones-side i:first-child { height: 32px; width: 100%; }
.bones-main { box-sizing: border-box; display: grid; gap: 20px; align-content: start; width: 100%; max-width: 1180px; margin: 0 auto; padding: 28px 24px; }
.bones-main i { height: 44px; }
.bones-main i:first-child { height: 28px; width: min(320px, 60%); }
.bones-main i:nth-child(3) { height: 320px; }
@media (max-width: 860px) {
  #skeleton { grid-template-columns: minmax(0, 1fr); grid-template-rows: 57px minmax(0, 1fr); }
  .bones-side { display: block; padding: 18px 16px; border-right: 0; border-bottom: 1px solid var(--line); }
  #skeleton .bones-side i:not(:first-child) { display: none; }
  .bones-side i:first-child { height: 20px; width: 96px; }
  .bones-main { padding: 16px 12px; }
}
@media (prefers-reduced-motion: no-preference) {
  #skeleton i { animation: bones 1.6s ease-in-out infinite alternate; }
  @keyframes bones { to { opacity: 0.45; } }
}
`;
