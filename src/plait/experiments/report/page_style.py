"""Style of the report's page beyond that of all pages: table of contents, tables, pictures, phone and print."""

__all__ = ["STYLE"]

STYLE = """
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{max-width:68rem;padding:1rem 1.25rem 4rem}
@media(min-width:72rem){body{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:0 2.5rem;max-width:84rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.5rem 0}}
nav{font-size:.875rem;line-height:1.35}nav ol{list-style:none;margin:0;padding:0}
nav li{margin:.35rem 0}nav a{color:var(--soft);text-decoration:none}nav a:hover{color:var(--mark)}
nav strong{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);font-weight:600}
@media(max-width:71.99rem){nav ol{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem}
nav{border-bottom:1px solid var(--line);padding-bottom:.6rem}nav li{margin:.2rem 0}}
main{min-width:0}
.lead{color:var(--soft);max-width:46rem;margin:.3rem 0}
.facts{display:flex;flex-wrap:wrap;gap:.3rem 2rem;margin:1rem 0;padding:0}
.facts div{display:flex;flex-direction:column-reverse}
.facts dt{font-size:.8rem;color:var(--soft)}.facts dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}
.facts .bad dd{color:#c2410c}
h2{border-top:1px solid var(--line);padding-top:1.4rem}
p,.note{max-width:46rem}.note{font-size:.85rem;color:var(--soft);margin:.35rem 0}
.wide{margin:.7rem 0;max-width:100%;position:relative}
table{font-size:.875rem;line-height:1.35}
.caption{font-size:.875rem;color:var(--soft);margin:.9rem 0 0}.caption+.wide{margin-top:.2rem}
thead th{vertical-align:bottom;padding:.2rem .7rem;line-height:1.2}
td,tbody th{padding:.22rem .7rem;white-space:nowrap}
td.text,th.text{text-align:left}
tbody th{position:sticky;left:0;z-index:1;background:var(--paper);white-space:normal;padding-left:0}
tbody th span,thead button{display:inline-block;max-width:14rem;overflow-wrap:break-word;white-space:normal}
thead button{max-width:8rem}
thead th:first-child{padding-left:0}
td.text{white-space:normal;min-width:6rem;max-width:40rem;overflow-wrap:anywhere}
tbody tr:hover td,tbody tr:hover th{background:var(--wash)}
td i{font-style:normal;font-weight:400;font-size:.82em;color:var(--soft);display:inline-block;min-width:3.7em;
text-align:left;padding-left:.25em}
td small,th small{display:block;color:#c2410c;font-weight:400;font-size:.78em}
@media(prefers-color-scheme:dark){td small,th small,.facts .bad dd{color:#ff9e64}}
thead button{font:inherit;font-weight:600;color:inherit;text-align:inherit;background:none;border:0;
padding:0;cursor:pointer}
thead button:focus-visible,.tool:focus-visible,.wide:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
thead th[aria-sort] button{color:var(--mark)}
th[aria-sort=ascending] button::after{content:" \\25B4"}th[aria-sort=descending] button::after{content:" \\25BE"}
figure{margin:1rem 0;position:relative}
figcaption{font-size:.85rem;color:var(--soft);max-width:46rem;margin-top:.2rem}
.tools{display:flex;gap:.35rem;margin-top:.25rem}
.tool{font:inherit;font-size:.75rem;line-height:1.5;color:var(--soft);background:none;border:1px solid var(--line);
border-radius:4px;padding:.05rem .5rem;cursor:pointer}.tool:hover{color:var(--mark);border-color:var(--mark)}
svg{display:block;height:auto}.ground{fill:var(--paper)}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(18.5rem,100%),1fr));gap:.4rem 1.6rem}
.grid.small{grid-template-columns:repeat(auto-fill,minmax(min(10.5rem,100%),1fr))}
.grid figure{margin:.4rem 0}.grid .wide{margin:0}
.grid:not(.small) .tools{position:absolute;top:-.3rem;right:0}
@media(hover:hover){.grid .tools{position:absolute;top:-.3rem;right:0;opacity:0}
.grid figure:hover .tools,.grid .tools:focus-within{opacity:1}}
.graphs{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;align-items:flex-start}.graphs figure{max-width:100%;min-width:0}
.paper{display:none}
.cd svg{min-width:35rem}
.zoom{overflow:auto;max-height:34rem;border:1px solid var(--line);border-radius:6px;cursor:grab}
.zoom svg{max-width:none!important}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--mark);font-size:.9rem}
pre{font-size:.8rem;background:var(--wash);padding:.7rem;border-radius:6px;overflow-x:auto;overflow-wrap:anywhere}
@media(max-width:40rem){body{padding:.75rem .9rem 3rem}h1{font-size:1.3rem}.facts{gap:.3rem 1rem}
.facts dt{font-size:.75rem}.facts dd{font-size:1.05rem}tbody th span{max-width:34vw}
td,tbody th{padding:.22rem .5rem}tbody th{padding-left:0}
.grid.small{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media print{@page{margin:14mm}body{display:block;max-width:none;padding:0;font-size:10pt}
.tools,nav{display:none}h2{break-after:avoid}h3{break-after:avoid}figure,tr{break-inside:avoid}
.wide,.zoom{overflow:visible;max-height:none;border:0}.wide svg,.cd svg{min-width:0!important}
.zoom svg{max-width:100%!important;max-height:235mm}.graphs{display:block}
table{font-size:min(9pt,calc(300mm/var(--chars,60)))}.screen{display:none}.paper{display:block}
td,tbody th,thead th{padding:.15em .5em}tbody th{position:static}th:first-child{padding-left:0}
thead button,tbody th span{max-width:12em}.paper thead th{max-width:8em;overflow-wrap:anywhere}
.grid{display:block;columns:2}.grid.small{columns:4}.grid figure{break-inside:avoid}
pre{white-space:pre-wrap}a{color:inherit;text-decoration:none}}
"""
