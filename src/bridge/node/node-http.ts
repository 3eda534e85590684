import process from 'node:process';

// Not imported: an import from an ES module evaluates all exports of node:http, among them undici, which takes 30 ms in
// Node 22.
const http: typeof import('node:http') = /* @__PURE__ */ process.getBuiltinModule('node:http');

export { http };
