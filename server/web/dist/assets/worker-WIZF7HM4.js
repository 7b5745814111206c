import{g as t}from"./shared-WNVNGVC5.js";var a=new t(location.origin);addEventListener("connect",s=>{let e=s.ports[0],n={send:o=>e.postMessage(o)};e.onmessage=o=>{a.receive(n,o.data)}});
