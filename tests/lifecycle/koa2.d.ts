/** Koa 2 under a second name; the types are those of Koa 3, which the tests use of it. */
declare module 'koa2' {
  import Koa from 'koa';
  export default Koa;
}
