/** Style of the forms that send changes. */
export const WRITE_STYLES = `.account { margin-left: auto; display: flex; gap: 12px; font-size: 13px; color: var(--muted); }
.account strong { color: var(--ink); font-weight: 600; }
select.method { width: auto; height: 36px; flex: none; }
select.method[data-method=POST] { color: var(--accent); }
select.method[data-method=PATCH] { color: var(--number); }
select.method[data-method=DELETE] { color: var(--bad); }
.stack { display: grid; gap: 8px; min-width: 0; }
.beside { display: flex; gap: 6px; align-items: flex-start; min-width: 0; }
.beside > input, .beside > textarea, .beside > select, .beside > .combobox, .beside > .stack { flex: 1; }
.beside > .small { height: var(--height); }
.item { margin-bottom: 6px; }
.bundle > .label { font-size: 13px; font-weight: 650; }
.bundle > .combobox { flex: 1; }
.bundle > .label, .bundle > label { width: 48px; flex: none; }
.bundle > .input-error { flex-basis: auto; }
.field { padding: 0 0 12px 10px; border-left: 2px solid transparent; margin-left: -12px; }
.field.changed { border-left-color: var(--accent); }
.field-head { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: center; min-height: 26px; }
.field-head .quiet { margin-left: auto; }
.field-name { font-weight: 600; overflow-wrap: anywhere; }
.stack > .hint:empty { display: none; }
.field > .hint { margin-bottom: 4px; }
.field > .input-error, [data-row] > .input-error { margin-top: 6px; }
.part-name { width: 72px; flex: none; line-height: var(--height); overflow-wrap: anywhere; }
.seldom > summary { cursor: pointer; padding: 3px 0; margin-bottom: 6px; border-radius: 4px; }
.answer-side { display: grid; gap: 12px; min-width: 0; }
#builder textarea, #draft textarea { height: auto; padding: 7px 9px; line-height: 1.5; resize: vertical; }
#draft { padding: 12px 16px 14px; }
main textarea.mono { font-size: 12.5px; tab-size: 2; }
input[type=file] { padding: 4px; }
button.danger { background: var(--bad-soft); border-color: var(--bad); color: var(--bad); font-weight: 600; }
.steps, .headers { margin: 0 16px 10px; }
.steps { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.steps:empty { display: none; }
.headers { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 12px; font-size: 13px; }
.headers dt { color: var(--muted); }
.headers dd { margin: 0; font-family: var(--mono); font-size: 12.5px; overflow-wrap: anywhere; }
.job { display: grid; gap: 4px; justify-items: start; }
dialog { border: 1px solid var(--edge); border-radius: 10px; background: var(--panel); color: var(--ink); padding: 20px; max-width: min(420px, 92vw); box-shadow: var(--shadow); }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog h2 { font-size: 16px; overflow-wrap: anywhere; }
dialog p { margin-bottom: 16px; overflow-wrap: anywhere; }
dialog .beside { justify-content: flex-end; }
@media (max-width: 940px) {
  .answer-side { display: contents; }
  main textarea.mono { font-size: 14px; }
  select.method { display: block; flex: 1 1 100%; }
}
@media (max-width: 560px) {
  header { flex-wrap: wrap; }
  .account { margin-left: 0; flex-basis: 100%; justify-content: space-between; }
  .steps, .headers { margin-left: 12px; margin-right: 12px; }
}
`;
