import process from 'node:process';

// Not imported: an ES module that imports node:http has all its exports evaluated, and with them undici, in 30 ms of Node 22.
const http: typeof import('node:http') = /* @__PURE__ */ process.getBuiltinModule('node:http');

/** The module `node:http`. */
export { http };
