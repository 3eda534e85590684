/** Express 4 under a second name; the types are those of Express 5, which the tests use of it. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
