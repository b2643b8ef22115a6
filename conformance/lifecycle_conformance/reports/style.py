"""Owns how the HTML page looks: light and dark, from a phone's width up. Refuses fonts and pictures from elsewhere."""

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --box: #f6f8fa;
  --good: #116329; --bad: #b42318; --doubt: #7a4d05; --link: #0550ae; --heat: 17, 99, 41; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --ink: #e6edf3; --soft: #9da7b1; --line: #30363d;
  --box: #161b22; --good: #56d364; --bad: #ff9b8f; --doubt: #e3b341; --link: #79c0ff; --heat: 86, 211, 100; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 2rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .5rem; z-index: 1; }
header { border-left: .5rem solid var(--doubt); padding: .25rem 0 .25rem 1rem; margin: 1.25rem 0; }
header.conforms { border-color: var(--good); }
header.violates { border-color: var(--bad); }
.verdict { font-size: 2rem; font-weight: 700; margin: 0; color: var(--doubt); }
.conforms .verdict { color: var(--good); }
.violates .verdict { color: var(--bad); }
h1 { font-size: 1.1rem; margin: 0; }
h2 { font-size: 1.25rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; color: var(--soft); }
nav ul, .grid { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; }
nav a { display: inline-block; padding: .25rem 0; }
pre { margin: 0; font: .8rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: normal; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .85em; color: var(--soft); }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .375rem; padding: .5rem; margin: .5rem 0;
  background: var(--box); }
details { margin: .5rem 0; }
details.failure { border: 1px solid var(--line); border-radius: .375rem; padding: .25rem .75rem; }
summary { cursor: pointer; padding: .375rem 0; font-weight: 600; }
.known { color: var(--doubt); font-weight: 400; }
.parting { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .5rem;
  margin: .5rem 0; }
.parting > div { border-left: .25rem solid var(--good); background: var(--box); padding: .25rem .75rem; }
.parting > .did { border-color: var(--bad); }
.parting h4, .parting p { margin: 0; font-size: .9rem; }
.parting mark { background: none; color: var(--good); font: 600 .85rem ui-monospace, SFMono-Regular, Menlo, monospace; }
.parting .did mark { color: var(--bad); }
dt { font-weight: 600; margin-top: .5rem; }
dd { margin: 0 0 0 1rem; color: var(--soft); }
.grid { gap: .25rem; }
.grid li { border: 1px solid var(--line); border-radius: .25rem; padding: .05rem .4rem; font-size: .85rem; }
.heat0 { color: var(--doubt); border-style: dashed !important; }
.heat1 { background: rgba(var(--heat), .06); }
.heat2 { background: rgba(var(--heat), .12); }
.heat3 { background: rgba(var(--heat), .19); }
.heat4 { background: rgba(var(--heat), .27); }
.grid .bad { color: var(--bad); border-color: var(--bad); }
.grid .out { color: var(--soft); }
.legend, footer { color: var(--soft); font-size: .9rem; }
footer { border-top: 1px solid var(--line); margin-top: 2rem; }
@media print { details > *, nav { display: block; } nav { display: none; } }
"""
