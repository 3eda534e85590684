// The fonts of the system: the theme's own would be the largest part of a page.
export { default } from 'vitepress/theme-without-fonts';
