export { byCodePoint } from '../../http/code-point-order.js';
