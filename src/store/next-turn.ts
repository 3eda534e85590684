export { atNextTurn, nextTurn } from '../clock/next-turn.js';
