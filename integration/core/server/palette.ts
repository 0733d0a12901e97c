/** Colours and fonts of all our pages, light and dark. Text has a contrast of at least 4.5:1, input borders 3:1. */
export const PALETTE = `:root {
  color-scheme: light dark;
  --page: #f6f6f4; --panel: #ffffff; --sunk: #f1f1ee; --ink: #1d2023; --muted: #5c6268; --line: #e0e0dc; --edge: #8b9096;
  --accent: #3a48b8; --on-accent: #ffffff; --accent-soft: #eceefb; --tint: rgb(58 72 184 / .04); --bad: #b3261e; --bad-soft: #fcefed; --good: #1a6b3f; --note-soft: #fdf5dd; --note: #6b5200;
  --key: #24548f; --string: #1f6b41; --number: #9a4a00; --boolean: #7a36a8; --shadow: 0 6px 24px rgb(0 0 0 / .14);
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --height: 32px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131518; --panel: #1a1d21; --sunk: #22262b; --ink: #e7e9eb; --muted: #a2a9b1; --line: #2d3238; --edge: #727a83;
    --accent: #a9b5ff; --on-accent: #14172e; --accent-soft: #262b4a; --tint: rgb(169 181 255 / .05); --bad: #ffa79e; --bad-soft: #3a211f; --good: #83d6a4; --note-soft: #332b14; --note: #ecd48b;
    --key: #9cc7ff; --string: #9bd8ae; --number: #f2b880; --boolean: #d7aaf7; --shadow: 0 6px 24px rgb(0 0 0 / .5);
  }
}
`;
