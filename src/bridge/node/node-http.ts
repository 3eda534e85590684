import process from 'node:process';

// Not imported: for an ES module that imports node:http all its exports are evaluated, among them undici, 30 ms in Node
// 22.
const http: typeof import('node:http') = /* @__PURE__ */ process.getBuiltinModule('node:http');

/** The module `node:http`. */
export { http };
