import { PALETTE } from './palette.ts';
import { WRITE_STYLES } from './write-styles.ts';

/** The explorer's style sheet. Colours hold 4.5:1 for text and 3:1 for edges of inputs, light and dark. */
export const STYLES = `
${PALETTE}*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/1.45 var(--sans); }
h1, h2, h3, p, ul { margin: 0; padding: 0; }
ul { list-style: none; }
code, pre, kbd, .mono, .path, #url { font-family: var(--mono); font-size: 12.5px; }
a { color: var(--accent); }
.muted, .hint, .empty { color: var(--muted); }
.hint, .empty { font-size: 13px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.skip { position: absolute; left: -999px; top: 4px; z-index: 9; background: var(--panel); padding: 6px 12px; border-radius: 6px; }
.skip:focus { left: 8px; }

header { display: flex; align-items: baseline; gap: 12px; padding: 12px 20px 8px; }
h1 { font-size: 16px; font-weight: 650; letter-spacing: -.01em; }
.site { color: var(--muted); font-family: var(--mono); font-size: 12.5px; display: flex; gap: 8px; align-items: center; }

button, .button, select, input, textarea { font: inherit; color: inherit; }
input:not([type=checkbox]), select, textarea { height: var(--height); border: 1px solid var(--edge); border-radius: 6px; background: var(--panel); padding: 0 9px; font-size: 13.5px; min-width: 0; width: 100%; }
select { padding-right: 4px; cursor: pointer; }
input::placeholder { color: var(--muted); opacity: 1; }
input[type=checkbox] { width: 16px; height: 16px; margin: 0; accent-color: var(--accent); flex: none; }
[aria-invalid=true] { border-color: var(--bad) !important; box-shadow: 0 0 0 1px var(--bad); }
button, .button { font-size: 13.5px; display: inline-flex; align-items: center; justify-content: center; gap: 8px; height: var(--height); padding: 0 12px; border: 1px solid var(--edge); border-radius: 6px; background: var(--panel); cursor: pointer; white-space: nowrap; text-decoration: none; color: var(--ink); }
button:hover, .button:hover { background: var(--sunk); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.primary:hover { filter: brightness(1.08); }
button.primary kbd { font-size: 11px; font-weight: 400; opacity: .85; }
.quiet { border: 0; background: none; color: var(--accent); padding: 0 8px; text-decoration: none; border-radius: 6px; display: inline-flex; align-items: center; cursor: pointer; }
.quiet:hover { background: var(--accent-soft); }
.small { height: 26px; font-size: 13px; }
.icon { width: 30px; padding: 0; border: 0; background: none; color: var(--muted); font-size: 16px; flex: none; }
.icon:hover { color: var(--ink); background: var(--sunk); }

#bar { padding: 0 20px 12px; }
.bar-line { display: flex; gap: 8px; align-items: flex-start; }
.method { font: 600 12px/36px var(--mono); color: var(--good); }
#url { height: auto; min-height: 36px; max-height: 108px; resize: none; padding: 8px 10px; line-height: 18px; word-break: break-all; }
.bar-line > button, .bar-line > .button { height: 36px; }
.problems li { margin-top: 6px; padding: 6px 10px; border-radius: 6px; background: var(--bad-soft); color: var(--bad); font-size: 13px; overflow-wrap: anywhere; }

main { display: grid; grid-template-columns: minmax(430px, 40%) minmax(0, 1fr); gap: 12px; padding: 0 20px 20px; align-items: start; }
#builder, #answer, #call, #draft { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
#builder > .empty { padding: 16px; }
.part { padding: 12px 16px 14px; border-top: 1px solid var(--line); }
.part:first-child { border-top: 0; }
h2 { font-size: 13px; font-weight: 650; margin-bottom: 8px; display: flex; gap: 8px; align-items: center; }
h3 { font-size: 13px; font-weight: 650; }
.badge { background: var(--accent-soft); color: var(--accent); border-radius: 9px; padding: 0 7px; font-size: 12px; line-height: 18px; }
.bundle { display: flex; align-items: center; gap: 12px; }
.bundle label { font-size: 13px; font-weight: 650; }
.bundle select { max-width: 280px; }

.group { container-type: inline-size; }
.condition { display: grid; grid-template-columns: 44px minmax(0, 1fr) minmax(0, 1fr) 30px; gap: 6px; margin-bottom: 8px; }
.condition .combobox { grid-column: 2 / 4; }
.condition .icon { grid-column: 4; grid-row: 1; }
.condition .operator { grid-column: 2; }
.condition .values { grid-column: 3; }
.condition .values.several { grid-column: 2 / 4; }
.condition .operator.several { grid-column: 2 / 4; }
@container (min-width: 455px) {
  .condition .input-error { grid-column: 2 / -1; }
  .condition { grid-template-columns: 44px minmax(0, 1.3fr) 124px minmax(0, 1fr) 30px; }
  .condition .combobox { grid-column: 2; }
  .condition .operator { grid-column: 3; }
  .condition .values { grid-column: 4; }
  .condition .icon { grid-column: 5; }
  .condition .operator.several { grid-column: 3 / 5; }
  .condition .values.several { grid-column: 2 / 5; }
}
.sort, .group-head { display: flex; gap: 6px; align-items: center; margin-bottom: 8px; flex-wrap: wrap; }
.lead { width: 44px; flex: none; color: var(--muted); font-size: 13px; line-height: var(--height); text-align: right; padding-right: 4px; }
.combobox { position: relative; min-width: 0; }
.sort .combobox { flex: 1 1 140px; }
.values { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; min-width: 0; }
.values > input { flex: 1 1 90px; }
.value-item { display: flex; flex: 1 1 130px; min-width: 100px; }
.no-value, .between { color: var(--muted); line-height: var(--height); font-size: 13px; }
.sort select { flex: 0 0 146px; width: auto; }
.group:not(.root) { margin: 2px 0 10px 12px; padding: 8px 0 4px 6px; border-left: 2px solid var(--accent); background: var(--tint); border-radius: 0 8px 8px 0; }
.group-head select { width: auto; flex: 0 1 190px; font-weight: 600; }
.group-head .icon { margin-left: auto; }
.group:not(.root) > .adders { margin-left: 42px; }
.adders { display: flex; gap: 4px; margin-left: -8px; }
.root > .empty { margin-bottom: 4px; }
.options { position: absolute; z-index: 5; top: calc(100% + 3px); left: 0; min-width: 100%; width: max-content; max-width: min(420px, 86vw); max-height: 300px; overflow: auto; background: var(--panel); border: 1px solid var(--edge); border-radius: 8px; box-shadow: var(--shadow); padding: 4px; }
.options li { display: flex; justify-content: space-between; gap: 20px; padding: 4px 8px; border-radius: 5px; cursor: pointer; }
.options li:hover { background: var(--sunk); }
.options li[aria-selected=true] { background: var(--accent-soft); box-shadow: inset 2px 0 var(--accent); }
.option-name { font-family: var(--mono); font-size: 12.5px; }
.option-hint { color: var(--muted); font-size: 12.5px; }
.input-error { flex-basis: 100%; grid-column: 1 / -1; color: var(--bad); font-size: 13px; padding-left: 8px; border-left: 2px solid var(--bad); overflow-wrap: anywhere; }
.checks { display: grid; gap: 2px; }
.checks .checks { margin-left: 8px; padding-left: 14px; border-left: 1px solid var(--line); }
.columns { grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); margin-top: 6px; }
.check { display: flex; gap: 8px; align-items: center; min-height: 26px; cursor: pointer; overflow-wrap: anywhere; }
.values .check { min-height: var(--height); font-family: var(--mono); font-size: 12.5px; }
.fields summary { cursor: pointer; padding: 3px 0; border-radius: 4px; }
.fields summary .muted { margin-left: 8px; font-size: 13px; }
.page { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
.page-input { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.page-input label { font-size: 13px; color: var(--muted); }
.page-input input { width: 92px; }
.files li { padding: 8px 0; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; }
.files li:first-child { border-top: 0; }
.files .run { font-weight: 600; }
.files .file { font-family: var(--mono); font-size: 12.5px; }
.files .query { flex-basis: 100%; color: var(--muted); overflow-wrap: anywhere; }

#answer:focus { outline: 0; }
#answer[aria-busy=true] .count { opacity: .55; }
.status { display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: center; justify-content: space-between; padding: 12px 16px 10px; }
.count { font-size: 18px; font-weight: 650; letter-spacing: -.01em; min-height: 26px; }
.facts { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { border: 1px solid var(--line); border-radius: 10px; padding: 0 8px; font-size: 12.5px; line-height: 20px; font-variant-numeric: tabular-nums; font-family: var(--sans); white-space: nowrap; }
.chip.good { color: var(--good); border-color: currentcolor; }
.chip.bad { color: var(--bad); border-color: currentcolor; }
.note { margin: 0 16px 10px; padding: 6px 10px; border-radius: 6px; background: var(--note-soft); color: var(--note); font-size: 13px; overflow-wrap: anywhere; }
.error { margin: 0 16px 10px; padding: 10px 12px; border-radius: 8px; background: var(--bad-soft); border-left: 3px solid var(--bad); overflow-wrap: anywhere; }
.error h3 { color: var(--bad); margin-bottom: 2px; }
.source { margin-top: 6px; display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
.source code { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 1px 6px; }
.answer-bar { display: flex; flex-wrap: wrap; justify-content: space-between; border-bottom: 1px solid var(--line); padding: 0 8px; gap: 0 8px; }
#tabs { display: flex; }
#tabs button { border: 0; border-radius: 6px 6px 0 0; background: none; color: var(--muted); height: 36px; padding: 0 10px; border-bottom: 2px solid transparent; }
#tabs button:hover { color: var(--ink); }
#tabs button[aria-selected=true] { color: var(--ink); font-weight: 600; border-bottom-color: var(--accent); }
#tabs button:focus-visible { outline-offset: -3px; }
#pager { display: flex; align-items: center; }
[role=tabpanel] { padding: 10px 16px 16px; position: relative; }
.tools { display: flex; justify-content: flex-end; gap: 2px; margin: 0 -6px 2px; }
[role=tabpanel] h3 { margin: 14px 0 6px; }
#call { padding: 12px 16px 14px; }
#call:empty { display: none; }
#call h2 { margin: 0; justify-content: space-between; }
#call .plain { margin: 6px 0 8px; }
.plain { margin: 8px 0 0; padding: 12px; background: var(--sunk); border-radius: 8px; overflow: auto; white-space: pre; line-height: 1.55; tab-size: 2; }

.json { font: 12.5px/1.6 var(--mono); overflow-x: auto; }
.line { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 18px; position: relative; }
.children { margin-left: 18px; }
.fold { position: absolute; left: 0; top: 2px; width: 16px; height: 16px; padding: 0; border: 0; background: none; color: var(--muted); border-radius: 4px; }
.fold::before { content: ""; border: solid transparent; border-width: 4px 0 4px 5px; border-left-color: currentcolor; transition: transform .12s; }
.fold[aria-expanded=true]::before { transform: rotate(90deg); }
.key { color: var(--key); }
.string { color: var(--string); }
.number { color: var(--number); }
.boolean { color: var(--boolean); }
.null, .punctuation, .summary { color: var(--muted); }
.summary { margin: 0 4px; font-style: italic; }
.more { margin-left: 12px; font-family: var(--sans); }
.string > .more { display: inline; height: auto; margin: 0; padding: 0 4px; font-size: 12.5px; }
.follow { text-decoration-color: color-mix(in srgb, currentcolor 40%, transparent); text-underline-offset: 2px; }

.scroll { overflow: auto; max-height: 74vh; margin: 0 -16px -16px; border-radius: 0 0 10px 10px; }
table { border-collapse: separate; border-spacing: 0; font-size: 13px; min-width: 100%; }
th, td { text-align: left; padding: 5px 12px; border-bottom: 1px solid var(--line); max-width: 260px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; z-index: 2; background: var(--panel); font: 600 12px/1.6 var(--mono); color: var(--muted); }
tbody th { position: sticky; left: 0; z-index: 1; background: var(--panel); font-weight: 500; max-width: 220px; }
thead th:first-child { left: 0; z-index: 3; }
th:first-child { padding-left: 16px; border-right: 1px solid var(--line); }
td.none { color: var(--muted); }
tbody tr:hover > * { background: var(--sunk); }

@media (min-width: 941px) {
  .side { display: grid; gap: 12px; position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; border-radius: 10px; }
}
@media (max-width: 940px) {
  :root { --height: 38px; }
  main { grid-template-columns: minmax(0, 1fr); padding: 0 12px 20px; }
  .side, .answer-side { display: contents; }
  #builder[aria-busy=true] { min-height: 100vh; }
  header { padding: 10px 12px 6px; justify-content: space-between; }
  #bar { padding: 0 12px 10px; }
  .bar-line { flex-wrap: wrap; }
  .method { display: none; }
  #url { flex: 1 1 100%; }
  .bar-line > button.primary { flex: 1; }
  .check { min-height: 34px; }
  .small { height: 34px; }
  .fold { width: 22px; height: 22px; top: -1px; left: -4px; }
  input:not([type=checkbox]), select, textarea { font-size: 16px; }
  .path, #url { font-size: 14px; }
}
@media (max-width: 560px) {
  .condition { grid-template-columns: minmax(0, .75fr) minmax(0, 1fr) 34px; }
  .condition .combobox { grid-column: 1 / 3; }
  .condition .operator { grid-column: 1; }
  .condition .values { grid-column: 2; }
  .condition .icon { grid-column: 3; grid-row: 2; }
  .condition .lead:empty ~ .icon { grid-row: 1; }
  .condition .lead { grid-column: 1 / 4; }
  .condition .values.several, .condition .operator.several { grid-column: 1 / 3; }
  .lead { width: auto; text-align: left; line-height: 1.2; }
  .lead:empty { display: none; }
  .group:not(.root) { margin-left: 0; padding-left: 10px; }
  .group:not(.root) > .adders { margin-left: -8px; }
  .sort .combobox { flex-basis: 100%; }
  .sort select { flex: 1; }
  .children { margin-left: 10px; }
  [role=tabpanel] { padding: 10px 12px 14px; }
  .scroll { margin: 0 -12px -14px; }
  .part { padding: 12px 12px 14px; }
  .status { padding: 12px; }
  .note, .error { margin-left: 12px; margin-right: 12px; }
  #tabs button { padding: 0 8px; }
  kbd { display: none; }
  .answer-bar { padding: 0 4px; }
}
${WRITE_STYLES}@media (prefers-reduced-motion: reduce) { .fold::before { transition: none; } }
@media (forced-colors: active) { .options li[aria-selected=true] { outline: 2px solid Highlight; } }
`;
