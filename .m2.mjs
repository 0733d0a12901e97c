import { build } from 'vite';
import { gzipSync } from 'node:zlib';
import { mkdirSync, writeFileSync } from 'node:fs';
const root='/work/wt-me/.sz'; mkdirSync(root,{recursive:true});
writeFileSync(root+'/page.js',`import { createFetch } from 'astro-jsonapi/client'; window.q=createFetch();`);
const out = await build({ root, configFile:false, logLevel:'error', build:{ write:false, target:'esnext', modulePreload:{polyfill:false}, rollupOptions:{input:root+'/page.js'} } });
const chunks=new Map(out.output.filter(o=>o.type==='chunk').map(c=>[c.fileName,c]));
const seen=new Set(); const go=n=>{if(seen.has(n))return;seen.add(n);for(const i of chunks.get(n).imports)go(i)};
for(const c of chunks.values()) if(c.isEntry||/site-/.test(c.fileName)) go(c.fileName);
let t=0; const mods=[];
for(const n of seen){const c=chunks.get(n); const g=gzipSync(c.code,{level:9}).length; t+=g; console.log(n,c.code.length,g); for(const [k,m] of Object.entries(c.modules)) mods.push([m.renderedLength,k.replace(/.*\/(dist|node_modules)\//,'$1/')]);}
console.log('TOTAL',t,'one file',gzipSync([...seen].map(n=>chunks.get(n).code).join(''),{level:9}).length);
console.log(mods.sort((a,b)=>b[0]-a[0]).slice(0,75).map(x=>x.join(' ')).join('\n'));
